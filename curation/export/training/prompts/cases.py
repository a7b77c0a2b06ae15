"""Inputs of a pair, read from its Python code and the cases of its test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from curation.source.functions import assignment
from curation.source.text import UNREADABLE, parse

# Functions that make tensors, and methods that keep the shape of one.
FACTORIES = frozenset(("randn", "rand", "randint", "randperm", "zeros", "ones", "empty"))
KEEPING = frozenset(("to", "float", "abs", "clamp", "exp", "argsort", "cumsum", "requires_grad_"))
# Keys of a test case that do not give a size of an input.
OTHER_KEYS = frozenset(("dtype", "layout", "seed", "device"))
NARROW = re.compile(r"float8_\w+|u?int8")
UNKNOWN = ast.Name("?")
INTERNAL = re.compile(r"(?i)block|warps|stages|tile|triton")


@dataclass(frozen=True, slots=True)
class TestCases:
    """Shapes by argument ("x: (rows, cols)"), sizes of each case, and dtypes of all cases."""

    shapes: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()


def parameters_of(python_code: str, entry_point: str) -> tuple[str, ...] | None:
    """Return the parameters of a function or of a module's `forward`, or None without either."""
    tree = _parsed(python_code)
    for node in tree.body if tree else ():
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            return _parameters(node)
        if isinstance(node, ast.ClassDef) and node.name == entry_point:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "forward":
                    return _parameters(method)[1:]
    return None


def _parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    own = node.args
    names = [argument.arg for argument in (*own.posonlyargs, *own.args)]
    names += [f"*{own.vararg.arg}"] if own.vararg else []
    return (*names, *(argument.arg for argument in own.kwonlyargs))


def read_cases(test_code: str, parameters: tuple[str, ...]) -> TestCases:
    """Return the inputs that a test makes. Parts that can't be read from its code are empty."""
    tree = _parsed(test_code)
    if tree is None:
        return TestCases()
    cases = _cases(tree)
    sizes = [_sizes(case) for case in cases]
    dtypes = {str(case["dtype"]) for case in cases if "dtype" in case} or _tolerance_dtypes(tree)
    shapes = _shapes(tree, parameters, {key for case in cases for key in case})
    return TestCases(
        tuple(f"{name}: {shape}" for name, shape in shapes.items()),
        tuple(dict.fromkeys(filter(None, sizes))),
        tuple(sorted(dtypes | _narrow_dtypes(tree))),
    )


def _parsed(text: str) -> ast.Module | None:
    with suppress(*UNREADABLE):
        return parse(text)
    return None


def _cases(tree: ast.Module) -> list[Mapping[str, Any]]:
    cases = _constant(tree, "CASES")
    return [case for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []


def _constant(tree: ast.Module, name: str) -> Any:
    if assigned := assignment(tree, name):
        with suppress(*UNREADABLE, TypeError):
            return ast.literal_eval(assigned.value)
    return None


def _tolerance_dtypes(tree: ast.Module) -> set[str]:
    """Return the dtypes that have a tolerance. Used if no case of the test has a dtype."""
    tolerance = _constant(tree, "TOLERANCE")
    return set(map(str, tolerance)) if isinstance(tolerance, dict) else set()


def _narrow_dtypes(tree: ast.Module) -> set[str]:
    """Return the 8-bit dtypes of the inputs. A case names only the dtype of the output."""
    converted = [
        node.args[0]
        for statement in _body_of_inputs(tree)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".to") and node.args
    ]
    names = [ast.unparse(argument).removeprefix("torch.") for argument in converted]
    return {name for name in names if NARROW.fullmatch(name)}


def _sizes(case: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}={value!r}"
        for name, value in case.items()
        if name not in OTHER_KEYS and not INTERNAL.search(str(name))
    )


def _shapes(tree: ast.Module, parameters: Sequence[str], keys: set[str]) -> dict[str, str]:
    """Return the shapes of all tensors, or nothing if one is unknown.

    keys: keys of the cases. Readers of a prompt know no other sizes.
    """
    local: dict[str, ast.expr | None] = {}
    for statement in _statements(_body_of_inputs(tree)):
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple):
            parts = value.elts if isinstance(value, ast.Tuple) else [UNKNOWN] * len(target.elts)
            found = [_value(part, local) for part in parts]
            local |= zip(map(ast.unparse, target.elts), found, strict=False)
        elif isinstance(target, ast.Name):
            local[target.id] = _value(value, local)
    values = {name: local[name] or UNKNOWN for name in parameters if name in local}
    nodes = [node for value in values.values() for node in ast.walk(value)]
    if not {node.id for node in nodes if isinstance(node, ast.Name)} <= keys:
        return {}
    return {
        name: f"({ast.unparse(value)[1:-1]})"
        for name, value in values.items()
        if isinstance(value, ast.List)
    }


def _body_of_inputs(tree: ast.Module) -> list[ast.stmt]:
    return [
        statement
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "make_inputs"
        for statement in node.body
    ]


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.Assign]:
    """Yield the assignments, including those in the bodies of `with` and `if`."""
    for node in body:
        if isinstance(node, ast.Assign):
            yield node
        elif isinstance(node, ast.With | ast.If):
            yield from _statements(node.body)


def _value(node: ast.expr, local: Mapping[str, ast.expr | None]) -> ast.expr | None:
    """Return a size, a tuple of sizes, or a tensor as the list of its sizes. None if unknown."""
    match node:
        case ast.Constant():
            return node
        case ast.Name():
            return local.get(node.id, node)
        case ast.Subscript(value=ast.Name(id="case"), slice=ast.Constant(value=str(key))):
            return ast.Name(key)
        case ast.Call(func=ast.Attribute(value=tensor, attr=name)) if name in KEEPING:
            return _value(tensor, local)
        # The bytes of a float8, as another dtype of the same size.
        case ast.Call(func=ast.Attribute(value=tensor, attr="view"), args=[ast.Attribute()]):
            return _value(tensor, local)
        case ast.UnaryOp(operand=part) | ast.Compare(left=part):
            return _value(part, local)
        case ast.Call(func=ast.Name(id="laid_out"), args=[part]):
            return _value(part, local)
        case ast.BinOp():
            parts = [node.left, node.right]
        case ast.Tuple():
            parts = node.elts
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name), args=parts):
            if name not in FACTORIES:
                return None
        case _:
            return None
    values = [value for part in parts if (value := _value(part, local))]
    if len(values) < len(parts):
        return None
    if isinstance(node, ast.Tuple):
        return ast.Tuple(values)
    if isinstance(node, ast.BinOp):
        tensors = [value for value in values if isinstance(value, ast.List)]
        return tensors[0] if tensors else ast.BinOp(values[0], node.op, values[1])
    tuples = [value.elts for value in values if isinstance(value, ast.Tuple)]
    return ast.List(tuples[0]) if tuples else ast.List(values)
