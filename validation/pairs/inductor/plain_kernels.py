"""Conversion of a kernel from Inductor to a kernel that needs only Triton.

The new kernel is decorated only by `triton.jit`, imports no part of torch, and has no unused code.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from validation.pairs.inductor import Unwritable

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


def read_kernel(source: str, name: str, helpers: frozenset[str]) -> CompiledKernel:
    """Parse a kernel and rename it. `helpers`: names of the functions whose text can be added."""
    *steps, function = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    heuristics = function.decorator_list[0]
    if not isinstance(heuristics, ast.Call):
        raise Unwritable("a kernel without heuristics")
    keywords = {keyword.arg: keyword.value for keyword in heuristics.keywords}
    meta = {**_entries(keywords["triton_meta"]), **_entries(keywords["inductor_meta"])}
    grid = str(ast.literal_eval(meta["grid_type"]))
    if grid not in GRIDS:
        raise Unwritable(f"a kernel launched by {grid}")
    plain = _Plain(helpers)
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
        hints=ast.literal_eval(keywords["size_hints"]),
        matrices="native_matmul" in meta and ast.literal_eval(meta["native_matmul"]) is True,
        grid=grid,
        helpers=frozenset(plain.used),
    )


def _decorator(function: ast.FunctionDef) -> str:
    """Return the decorator. A parameter that code converts by `.to` is not specialized to 1."""
    made_of = {argument.arg: {argument.arg} for argument in function.args.args}
    converted: set[str] = set()
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    for statement in sorted(assigned, key=lambda node: node.lineno):
        if isinstance(statement.targets[0], ast.Name):
            made_of[statement.targets[0].id] = _numbers_of(statement.value, made_of)
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr == "to":
            converted |= _numbers_of(node.value, made_of)
    return f"triton.jit(do_not_specialize={sorted(converted)})" if converted else "triton.jit"


def _numbers_of(node: ast.expr, made_of: Mapping[str, set[str]]) -> set[str]:
    """Return the parameters that a value is computed from by arithmetic alone, or an empty set."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if not all(
        isinstance(part, ast.BinOp | ast.UnaryOp | ast.Name | ast.Constant) for part in parts
    ):
        return set()
    found = [made_of.get(name, set()) for name in names]
    return set().union(*found) if all(found) else set()


def _entries(node: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        raise Unwritable("a kernel that tells nothing of itself")
    return {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


class _Plain(ast.NodeTransformer):
    """AST transformer that replaces functions of Inductor and CUDA by functions of Triton."""

    def __init__(self, helpers: frozenset[str]) -> None:
        self._helpers = helpers
        self.used: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in LIBRARIES):
            return node
        if node.attr in BUILT_IN and node.value.id != "triton_helpers":
            return ast.parse(f"tl.{node.attr}", mode="eval").body
        if node.attr in self._helpers:
            self.used.add(node.attr)
            return ast.Name(node.attr, ast.Load())
        raise Unwritable(f"{node.value.id}.{node.attr}")


def _drop_unused(function: ast.FunctionDef) -> None:
    """Remove assignments to names that are never read, such as Inductor's spare index values."""
    before: set[str] = set()
    while (unread := _names(function, ast.Store) - _names(function, ast.Load)) != before:
        before = unread
        _Remover(unread).visit(function)


def _names(function: ast.FunctionDef, context: type[ast.expr_context]) -> set[str]:
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
