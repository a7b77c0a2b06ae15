"""Reduction of autotuned kernels to their first configuration.

A pair must run without a GPU, where nothing can be timed, and give the same bits each time. A
wrapper of Triton's autotuner is replaced by Triton's own.
"""

from __future__ import annotations

import ast
import re

from ingest.drafting.edits import UNREADABLE, Edits

TUNING = re.compile(rb"autotune|libtuner")
TUNER = re.compile(r"(.*[._])?(autotune|libtuner)")
IMPORTED = re.compile(rb"^import triton\b", re.M)
KEPT = ("configs", "key", "reset_to_zero", "restore_value")
# For torch.compile only: the wrapped kernel is launched in the same way.
WRAPPED = re.compile(rb"\btorch\.library\.wrap_triton\((\w+)\)")
SPREAD = re.compile(r"^([ \t]*@triton\.autotune\(.*\))[ \t]*\n\n+(?=[ \t]*(@|def ))", re.M)

LINE_END = re.compile(r"\s*\n\s*")


def keep_first_configuration(data: bytes) -> bytes:
    """Return a file whose kernels have one configuration each, with the same line numbers."""
    data = WRAPPED.sub(rb"\1", data)
    if not TUNING.search(data) or not IMPORTED.search(data):
        return data
    try:
        edits = Edits(data.decode())
        found = [(node, call) for node in ast.walk(ast.parse(data)) for call in _tuners(node)]
    except UNREADABLE:
        return data
    for kernel, call in found:
        written = _written(call, edits, kernel)
        lost = edits.of(call).count("\n") - written.count("\n")
        edits.put(call, written + "\n" * lost)
    return edits.text().encode()


def close_gaps(text: str) -> str:
    """Remove the blank lines that kept the line numbers."""
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


def _written(call: ast.Call, edits: Edits, kernel: ast.AST) -> str:
    takes = {node.arg for node in ast.walk(kernel) if isinstance(node, ast.arg)}
    parts = []
    for keyword in call.keywords:
        if keyword.arg == "configs":
            parts.append(f"configs={_first(keyword.value, edits)}")
        elif keyword.arg == "key" and not takes.issuperset(_listed(keyword.value)):
            # Triton 3.9 refuses a name that is no parameter of the kernel.
            kept = [name for name in _listed(keyword.value) if name in takes]
            parts.append(f"key={kept}")
        elif keyword.arg in KEPT:
            parts.append(f"{keyword.arg}={_on_a_line(keyword.value, edits)}")
    return f"triton.autotune({', '.join(parts)})"


def _listed(key: ast.expr) -> list[str]:
    """Return the strings of a written list, or an empty list for any other expression."""
    elements = key.elts if isinstance(key, ast.List | ast.Tuple) else []
    values = [each.value for each in elements if isinstance(each, ast.Constant)]
    return [value for value in values if isinstance(value, str)]


def _first(configs: ast.expr, edits: Edits) -> str:
    elements = configs.elts if isinstance(configs, ast.List) else []
    if elements and not isinstance(elements[0], ast.Starred):
        return f"[{_on_a_line(elements[0], edits)}]"
    simple = isinstance(configs, ast.Name | ast.Call | ast.List | ast.ListComp)
    written = _on_a_line(configs, edits)
    return (written if simple else f"({written})") + "[:1]"


def _on_a_line(node: ast.expr, edits: Edits) -> str:
    return LINE_END.sub(" ", edits.of(node))
