"""Kernels that time themselves, made to take the first of their configurations: a pair must run
where there is no GPU to time them on, and give the same bits each time.
"""

from __future__ import annotations

import ast

from ingest.drafting.suites import UNREADABLE


def with_one_configuration(text: str) -> str:
    """The text with `configs` of every autotune cut to its first."""
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    lines = text.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    edits: list[tuple[int, int, bytes]] = []
    data = text.encode()
    for node in ast.walk(tree):
        configs = _configurations(node)
        if configs is None:
            continue
        first = starts[configs.lineno - 1] + configs.col_offset
        last = starts[(configs.end_lineno or 1) - 1] + (configs.end_col_offset or 0)
        if isinstance(configs, ast.List) and configs.elts:
            elt = configs.elts[0]
            if len(configs.elts) == 1 and not isinstance(elt, ast.Starred):
                continue
            if not isinstance(elt, ast.Starred):
                a = starts[elt.lineno - 1] + elt.col_offset
                b = starts[(elt.end_lineno or 1) - 1] + (elt.end_col_offset or 0)
                edits.append((first, last, b"[" + data[a:b] + b"]"))
                continue
        written = data[first:last]
        simple = isinstance(configs, ast.Name | ast.Call | ast.List | ast.ListComp)
        edits.append((first, last, (written if simple else b"(" + written + b")") + b"[:1]"))
    for first, last, replacement in sorted(edits, reverse=True):
        data = data[:first] + replacement + data[last:]
    return data.decode()


def _configurations(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Call):
        return None
    name = ast.unparse(node.func).rpartition(".")[2]
    if name != "autotune":
        return None
    named = next((k.value for k in node.keywords if k.arg == "configs"), None)
    return named or (node.args[0] if node.args else None)
