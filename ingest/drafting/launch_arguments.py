"""Search for launches that leave a parameter of their kernel without a value.

A kernel that lost its tuning decorators is launched without its block sizes. Such a draft fails at
its first launch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from curation.source.functions import signature, unpacks
from curation.source.text import parse, walk


def find_missing_arguments(module: str) -> str:
    """Return which parameters of a kernel get no value in a launch, or "".

    A value comes from the launch, from a default, or from a tuning decorator. The strings and
    keywords of the whole module count as the names that its decorators give.
    """
    tree = parse(module)
    kernels = {
        node.name: node
        for node in walk(tree)
        if isinstance(node, ast.FunctionDef) and any(map(_is_jit, node.decorator_list))
    }
    named = _find_named(tree)
    for kernel, launch in _find_launches(tree, kernels):
        tuned = not all(map(_is_jit, kernel.decorator_list))
        missing = _find_missing(kernel, launch)
        if missing is not None and (left := missing - named if tuned else missing):
            return f"{kernel.name} is launched without {', '.join(sorted(left))}"
    return ""


def _is_jit(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] == "jit"


def _find_named(tree: ast.Module) -> set[str]:
    """Return the strings and keywords of a module: `{"BLOCK": 64}` and `dict(BLOCK=64)`."""
    named: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Constant(value=str(name)) | ast.keyword(arg=str(name)):
                named.add(name)
    return named


def _find_launches(
    tree: ast.Module, kernels: dict[str, ast.FunctionDef]
) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Subscript(value=ast.Name(id=name))) if name in kernels:
                yield kernels[name], node


def _find_missing(kernel: ast.FunctionDef, launch: ast.Call) -> set[str] | None:
    """Return the parameters that a launch does not give, or None if it unpacks arguments."""
    if unpacks(launch):
        return None
    takes = signature(kernel.args)
    return {*takes.required} - {*takes.given(launch)}
