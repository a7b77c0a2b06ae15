"""Finds plainly decorated kernels: `@triton.jit` on a function at the top of a module."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlainKernel:
    name: str
    start_line: int
    end_line: int
    source: str
    standalone_source: str


def plain_kernels(text: str) -> Iterator[PlainKernel]:
    """The kernels of a file, each with the file's imports of torch and triton before it."""
    module = ast.parse(text)
    lines = text.split("\n")
    imports = [
        "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in module.body
        if isinstance(node, ast.Import | ast.ImportFrom) and _of_torch_or_triton(node)
    ]
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and any(map(_is_jit, node.decorator_list)):
            start = min(decorator.lineno for decorator in node.decorator_list)
            end = node.end_lineno or node.lineno
            source = "\n".join(lines[start - 1 : end])
            yield PlainKernel(node.name, start, end, source, "\n".join((*imports, "", "", source)))


def _is_jit(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and ast.unparse(target) == "triton.jit"


def _of_torch_or_triton(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = [node.module or ""]
    else:
        names = [alias.name for alias in node.names]
    return all(name.split(".")[0] in ("torch", "triton") for name in names)
