"""Kernels that time themselves, made to take the first of their configurations: a pair must run
where there is no GPU to time them on, and give the same bits each time. Whoever wraps Triton's
autotuner in a cache of his own is read as if he called Triton's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

TUNING = re.compile(rb"autotune|libtuner")
TUNER = re.compile(r"(.*[._])?(autotune|libtuner)")
IMPORTED = re.compile(rb"^import triton\b", re.M)
KEPT = ("configs", "key", "reset_to_zero", "restore_value")
# For torch.compile only: what it wraps is launched the same.
WRAPPED = re.compile(rb"\btorch\.library\.wrap_triton\((\w+)\)")
SPREAD = re.compile(r"^([ \t]*@triton\.autotune\(.*\))[ \t]*\n\n+(?=[ \t]*(@|def ))", re.M)

LINE_END = re.compile(rb"\s*\n\s*")

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def plainly_tuned(data: bytes) -> bytes:
    """A file whose kernels have one configuration each and are launched by themselves, with as
    many lines as before."""
    data = WRAPPED.sub(rb"\1", data)
    if not TUNING.search(data) or not IMPORTED.search(data):
        return data
    try:
        tree = ast.parse(data)
        calls = [call for node in ast.walk(tree) for call in _tuners(node)]
    except UNREADABLE:
        return data
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def span(node: ast.AST) -> tuple[int, int]:
        first = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        last = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return first, last

    def text(node: ast.AST) -> bytes:
        return LINE_END.sub(b" ", original[slice(*span(node))])

    original = data
    for call in sorted(calls, key=span, reverse=True):
        first, last = span(call)
        written = _written(call, text)
        lost = data.count(b"\n", first, last) - written.count(b"\n")
        data = data[:first] + written + b"\n" * lost + data[last:]
    return data


def tightened(text: str) -> str:
    """Without the blank lines that kept the others where they were."""
    return SPREAD.sub(r"\1\n", text)


def _tuners(node: ast.AST) -> list[ast.Call]:
    if not isinstance(node, ast.FunctionDef):
        return []
    names = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
    if not any(name.rpartition(".")[2] == "jit" for name in names):
        return []
    return [
        decorator
        for decorator, name in zip(node.decorator_list, names, strict=True)
        if isinstance(decorator, ast.Call)
        and TUNER.fullmatch(name)
        and any(keyword.arg == "configs" for keyword in decorator.keywords)
    ]


def _written(call: ast.Call, text: Callable[[ast.AST], bytes]) -> bytes:
    parts = []
    for keyword in call.keywords:
        if keyword.arg == "configs":
            parts.append(b"configs=" + _first(keyword.value, text))
        elif keyword.arg in KEPT:
            parts.append(keyword.arg.encode() + b"=" + text(keyword.value))
    return b"triton.autotune(" + b", ".join(parts) + b")"


def _first(configs: ast.expr, text: Callable[[ast.AST], bytes]) -> bytes:
    elements = configs.elts if isinstance(configs, ast.List) else []
    if elements and not isinstance(elements[0], ast.Starred):
        return b"[" + text(elements[0]) + b"]"
    simple = isinstance(configs, ast.Name | ast.Call | ast.List | ast.ListComp)
    written = text(configs)
    return (written if simple else b"(" + written + b")") + b"[:1]"
