"""Functions that Inductor's kernels call and Triton lacks: their text and their dependencies."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping
from pathlib import Path

TEXT = Path(__file__).resolve().parent / "templates" / "device_functions.py"


def names() -> frozenset[str]:
    return frozenset(name for name in _functions() if not name.startswith("_"))


def spelled_out(names: Iterable[str]) -> list[str]:
    """Return the text of each needed function once, in file order."""
    selected: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in selected:
            selected.add(name)
            queue += _called(name)
    return [text for name, text in _functions().items() if name in selected]


@functools.cache
def _functions() -> Mapping[str, str]:
    text = TEXT.read_text("utf-8")
    return {
        node.name: "@triton.jit\n" + (ast.get_source_segment(text, node) or "")
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }


def _called(name: str) -> list[str]:
    functions = _functions()
    tree = ast.parse(functions[name])
    return [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in functions]
