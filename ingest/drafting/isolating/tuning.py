"""Autotuned kernels: Triton's own autotuner replaces a library's wrapper around it."""

from __future__ import annotations

import ast
import re

from curation.source.text import UNREADABLE, Edits

TUNING = re.compile(rb"autotune|libtuner")
TUNER = re.compile(r"(.*[._])?(autotune|libtuner)")
IMPORTED = re.compile(rb"^[ \t]*import triton\b", re.M)
KEPT = ("configs", "key", "prune_configs_by", "reset_to_zero", "restore_value")
# Only torch.compile needs this wrapper. The kernel inside is launched in the same way.
WRAPPED = re.compile(rb"\btorch\.library\.wrap_triton\((\w+)\)")
SPREAD = re.compile(r"^([ \t]*@triton\.autotune\(.*\))[ \t]*\n\n+(?=[ \t]*(@|def ))", re.M)


def read_autotuners(data: bytes) -> bytes:
    """Return a file that uses Triton's own autotuner, with the same line numbers. Names in `key`
    that are not parameters of the kernel are removed, because Triton 3.9 refuses them.
    """
    data = WRAPPED.sub(rb"\1", data)
    if not TUNING.search(data) or not IMPORTED.search(data):
        return data
    try:
        edits = Edits(data.decode())
        found = [(node, call) for node in ast.walk(ast.parse(data)) for call in _tuners(node)]
    except UNREADABLE:
        return data
    for kernel, call in found:
        takes = {node.arg for node in ast.walk(kernel) if isinstance(node, ast.arg)}
        edits.put(call.func, "triton.autotune")
        before: ast.AST = call.func
        for keyword in call.keywords:
            value = keyword.value
            if keyword.arg not in KEPT and before is not call.func:
                _drop_between(before, value, edits)
            elif keyword.arg == "key" and not takes.issuperset(_listed(value)):
                kept = [name for name in _listed(value) if name in takes]
                edits.put(value, f"{kept}" + "\n" * edits.of(value).count("\n"))
            before = value
    return edits.text().encode()


def _drop_between(before: ast.AST, value: ast.AST, edits: Edits) -> None:
    """Remove a keyword and the comma before it. Keep the line ends between."""
    first, last = edits.end(before), edits.end(value)
    edits.replace(first, last, "\n" * edits.between(before, value).count("\n"))


def close_gaps(text: str) -> str:
    """Remove the blank lines between decorators that only kept line numbers unchanged."""
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


def _listed(key: ast.expr) -> list[str]:
    """Return the strings in a list display, or an empty list for any other expression."""
    elements = key.elts if isinstance(key, ast.List | ast.Tuple) else []
    values = [each.value for each in elements if isinstance(each, ast.Constant)]
    return [value for value in values if isinstance(value, str)]
