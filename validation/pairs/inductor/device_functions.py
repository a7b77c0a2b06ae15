"""Functions that Inductor's kernels call and Triton lacks: their text and their dependencies."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Mapping
from pathlib import Path

TEXT = Path(__file__).resolve().parent / "templates" / "device_functions.py"


def names() -> frozenset[str]:
    return frozenset(name for name in _functions() if not name.startswith("_"))


def spelled_out(names: Collection[str]) -> list[str]:
    """Return the text of each function and of the private ones that it calls, in file order."""
    needed = set(names)
    for text in map(_functions().__getitem__, names):
        needed.update(re.findall(r"\b_\w+", text))
    return [text for name, text in _functions().items() if name in needed]


@functools.cache
def _functions() -> Mapping[str, str]:
    text = TEXT.read_text("utf-8")
    return {
        node.name: "@triton.jit\n" + (ast.get_source_segment(text, node) or "")
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
