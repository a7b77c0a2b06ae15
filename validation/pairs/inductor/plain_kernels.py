"""Conversion of a kernel from Inductor to a kernel that needs only Triton.

The new kernel is decorated only by `triton.jit`, imports no part of torch, and has no unused code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from validation.pairs.inductor import Unwritable, device_functions

# Functions of CUDA's library that Triton also has, under the same name.
BUILT_IN = frozenset({
    "abs", "ceil", "cos", "erf", "exp", "exp2", "floor", "fma", "log", "log2", "rsqrt", "sin",
    "sqrt", "sqrt_rn", "div_rn", "umulhi",
})  # fmt: skip
LIBRARIES = frozenset({"libdevice", "tl_math", "triton_helpers"})
GRIDS = frozenset({"Grid1D", "Grid2D", "Grid3D", "Grid2DWithYZOverflow", "BatchMatmulGrid3D"})


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    name: str
    definition: ast.FunctionDef
    steps: Mapping[str, str]
    """Functions that combine values in scans, by name."""
    handed: tuple[bool, ...]
    """For each launch argument of Inductor, whether the converted kernel still takes it."""
    blocks: tuple[str, ...]
    hints: Mapping[str, int]
    """Approximate number of elements along each axis, as powers of two."""
    matrices: bool
    grid: str
    helpers: frozenset[str]


def read_kernel(source: str, name: str) -> CompiledKernel:
    """Parse a kernel and rename it."""
    *steps, function = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    grid = _stated(r"'grid_type': '(\w+)'", source)
    if grid not in GRIDS:
        raise Unwritable(f"a kernel launched by {grid}")
    plain = _Plain()
    for step in (*steps, function):
        plain.visit(step)
    _drop_unused(function)
    function.decorator_list = [ast.parse(_decorator(function), mode="eval").body]
    function.name = name
    names = [argument.arg for argument in function.args.args]
    blocks = tuple(name for name in names if name.endswith("BLOCK"))
    live_names = _still_read(function)
    function.args.args = [a for a in function.args.args if a.arg in live_names or a.arg in blocks]
    return CompiledKernel(
        name=name,
        definition=function,
        steps={step.name: ast.unparse(step) for step in steps},
        handed=tuple(name in live_names for name in names if name not in blocks),
        blocks=blocks,
        hints=ast.literal_eval(_stated(r"size_hints=(\{.*?\})", source)),
        matrices="'native_matmul': True" in source,
        grid=grid,
        helpers=frozenset(plain.used),
    )


def _stated(pattern: str, source: str) -> str:
    """Return what the decorator of Inductor's heuristics says about a kernel."""
    stated = re.search(pattern, source)
    if stated is None:
        raise Unwritable("a kernel without heuristics")
    return stated[1]


def _decorator(function: ast.FunctionDef) -> str:
    """Return the decorator. A parameter that code converts by `.to` is not specialized to 1."""
    parameters = {argument.arg for argument in function.args.args}
    converted: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr == "to":
            names = _names(node.value, ast.Load)
            converted |= names if names <= parameters else set()
    return f"triton.jit(do_not_specialize={sorted(converted)})" if converted else "triton.jit"


class _Plain(ast.NodeTransformer):
    """AST transformer that replaces functions of Inductor and CUDA by functions of Triton."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in LIBRARIES):
            return node
        if node.attr in BUILT_IN and node.value.id != "triton_helpers":
            return ast.parse(f"tl.{node.attr}", mode="eval").body
        if node.attr in device_functions.names():
            self.used.add(node.attr)
            return ast.Name(node.attr, ast.Load())
        raise Unwritable(f"{node.value.id}.{node.attr}")


def _drop_unused(function: ast.FunctionDef) -> None:
    """Remove assignments to names that are never read, such as Inductor's spare index values."""
    before: set[str] = set()
    while (unread := _names(function, ast.Store) - _names(function, ast.Load)) != before:
        before = unread
        _Remover(unread).visit(function)


def _names(function: ast.AST, context: type[ast.expr_context]) -> set[str]:
    nodes = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, context)}


class _Remover(ast.NodeTransformer):
    """AST transformer that removes the assignments to the given names."""

    def __init__(self, unread: set[str]) -> None:
        self._unread = unread

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> ast.stmt | None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return None if isinstance(target, ast.Name) and target.id in self._unread else node

    visit_AnnAssign = visit_Assign  # noqa: N815 - the name is ast's


def _still_read(function: ast.FunctionDef) -> frozenset[str]:
    """Return the parameters whose value is read. The body first copies constants to other names."""
    anew = {
        target.id
        for statement in function.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and isinstance(target := statement.targets[0], ast.Name)
    }
    return frozenset(_names(function, ast.Load) - anew)
