"""Inputs of a pair, read from its Python side and the cases of its test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

FACTORIES = frozenset(["randn", "rand", "randint", "zeros", "ones", "empty", "full", "normal"])
# Keys that are no size of an input, and those that only a launcher knows.
OTHER_KEYS = frozenset(("dtype", "layout", "seed", "device"))
INTERNAL = re.compile(r"(?i)block|warps|stages|tile|triton")


@dataclass(frozen=True, slots=True)
class TestCases:
    """Shapes by argument ("x: (rows, cols)"), the sizes of each case, and all dtypes."""

    shapes: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()


def parameters_of(python_code: str, entry_point: str) -> tuple[str, ...] | None:
    """Return the parameters of a function, or of a module's `forward`; None without either."""
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
    """Return the inputs that a test makes; empty parts for a test in another form."""
    tree = _parsed(test_code)
    if tree is None:
        return TestCases()
    cases = _cases(tree)
    sizes = [_sizes(case) for case in cases]
    dtypes = sorted({str(case["dtype"]) for case in cases if "dtype" in case})
    shapes = {name: shape for name, shape in _shapes(tree) if name in parameters}
    ordered = [f"{name}: {shapes[name]}" for name in parameters if name in shapes]
    return TestCases(
        tuple(ordered), tuple(dict.fromkeys(filter(None, sizes))), tuple(dtypes) or _dtypes(tree)
    )


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _cases(tree: ast.Module) -> list[Mapping[str, Any]]:
    cases = _constant(tree, "CASES")
    return [case for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []


def _constant(tree: ast.Module, name: str) -> Any:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            try:
                return ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return None
    return None


def _dtypes(tree: ast.Module) -> tuple[str, ...]:
    """Return the dtypes that have a tolerance, for cases that name none."""
    tolerance = _constant(tree, "TOLERANCE")
    return tuple(sorted(map(str, tolerance))) if isinstance(tolerance, dict) else ()


def _sizes(case: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}={value!r}"
        for name, value in case.items()
        if name not in OTHER_KEYS and not INTERNAL.search(str(name))
    )


def _shapes(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.name != "make_inputs":
            continue
        for statement in _statements(function.body):
            target = statement.targets[0]
            shape = _shape(statement.value)
            if isinstance(target, ast.Name) and shape:
                yield target.id, shape


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.Assign]:
    """Yield the assignments, also those below `with` and `if`."""
    for node in body:
        if isinstance(node, ast.Assign):
            yield node
        elif isinstance(node, ast.With | ast.If):
            yield from _statements(node.body)


def _shape(value: ast.expr) -> str:
    """Return the size that the first factory call of an expression gets, as "(rows, cols)"."""
    for node in ast.walk(value):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in FACTORIES or ast.unparse(node.func.value) != "torch":
            continue
        tuples = [argument for argument in node.args if isinstance(argument, ast.Tuple)]
        if not tuples and node.func.attr in {"randint", "full", "normal"}:
            return ""
        sizes = tuples[0].elts if tuples else node.args
        return f"({', '.join(map(_dimension, sizes))})"
    return ""


def _dimension(size: ast.expr) -> str:
    """Return "rows" for `case["rows"]`."""
    return re.sub(r"case\['(\w+)'\]", r"\1", ast.unparse(size))
