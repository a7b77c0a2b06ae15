"""Inputs of a pair, read from its Python code and the cases of its test."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from curation.source.functions import assignment
from curation.source.text import UNREADABLE, parse

FACTORIES = frozenset(["randn", "rand", "randint", "zeros", "ones", "empty", "full", "normal"])
# Keys of a test case that do not give a size of an input.
OTHER_KEYS = frozenset(("dtype", "layout", "seed", "device"))
NARROW = re.compile(r"float8_\w+|u?int8")
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
    shapes = {name: shape for name, shape in _shapes(tree) if name in parameters}
    ordered = [f"{name}: {shapes[name]}" for name in parameters if name in shapes]
    return TestCases(
        tuple(ordered),
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
    attributes = [
        node.attr
        for statement in _body_of_inputs(tree)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "torch"
    ]
    return {name for name in attributes if NARROW.fullmatch(name)}


def _sizes(case: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}={value!r}"
        for name, value in case.items()
        if name not in OTHER_KEYS and not INTERNAL.search(str(name))
    )


def _shapes(tree: ast.Module) -> Iterator[tuple[str, str]]:
    bound: dict[str, ast.expr] = {}
    for statement in _statements(_body_of_inputs(tree)):
        target = statement.targets[0]
        if not isinstance(target, ast.Name):
            continue
        if shape := _shape(statement.value, bound):
            yield target.id, shape
        elif isinstance(statement.value, ast.Tuple | ast.BinOp):
            bound[target.id] = statement.value


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


def _shape(value: ast.expr, bound: Mapping[str, ast.expr]) -> str:
    """Return the shape of the first tensor that an expression creates, such as "(rows, cols)".

    bound: local names for sizes, with their values.
    """
    for node in ast.walk(value):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in FACTORIES or ast.unparse(node.func.value) != "torch":
            continue
        arguments = [_resolved(argument, bound) for argument in node.args]
        tuples = [argument for argument in arguments if isinstance(argument, ast.Tuple)]
        if not tuples and node.func.attr in {"randint", "full", "normal"}:
            return ""
        sizes = tuples[0].elts if tuples else arguments
        shown = ", ".join(_dimension(_Bound(bound).visit(copy.deepcopy(size))) for size in sizes)
        # A case's key `shape` holds a complete shape. Its value has brackets already.
        return shown if shown == "shape" else f"({shown})"
    return ""


def _resolved(argument: ast.expr, bound: Mapping[str, ast.expr]) -> ast.expr:
    """Return the value of a local name, the tuple that a slice gives, or the argument itself."""
    if isinstance(argument, ast.Name):
        return bound.get(argument.id, argument)
    if isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Slice):
        whole = _resolved(argument.value, bound)
        if isinstance(whole, ast.Tuple):
            with suppress(ValueError, TypeError):
                ends = (argument.slice.lower, argument.slice.upper)
                start, stop = (ast.literal_eval(end) if end else None for end in ends)
                return ast.Tuple(whole.elts[start:stop], ast.Load())
    return argument


class _Bound(ast.NodeTransformer):
    """Replace local names by their values, because readers of a prompt know only a case's keys."""

    def __init__(self, bound: Mapping[str, ast.expr]) -> None:
        self._bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._bound.get(node.id)
        return value if isinstance(value, ast.BinOp) else node


def _dimension(size: ast.expr) -> str:
    """Return "rows" for `case["rows"]`, and so on."""
    return re.sub(r"case\['(\w+)'\]", r"\1", ast.unparse(size))
