"""Docstrings of functions that are merged."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from ingest.drafting.sentences import first_sentence

# A first line that says what kind of function this is, not what it computes.
OF_REFERENCE = re.compile(r"\b(reference|baseline|naive|implementation|torch|version)\b", re.I)


def join_docstrings(
    wrapper: ast.FunctionDef,
    called: ast.FunctionDef,
    renamed: Mapping[str, str],
    *,
    shortened: bool,
) -> str:
    """Return the docstring of the called function. The sentence of the wrapper stands in place of a
    first line that only names a reference, or before one that is no sentence.
    """
    outer = _docstring(wrapper, {}, shortened=False)
    inner = _docstring(called, renamed, shortened=shortened)
    if not outer or not inner:
        return inner or outer
    first, _, rest = inner.partition("\n")
    if first_sentence(f'def f():\n    """{first}"""'):
        return inner
    margin = " " * called.body[0].col_offset
    if "\n" in outer:
        return outer
    if OF_REFERENCE.search(first) or not first.strip():
        return f"{outer}\n\n{rest.strip(chr(10))}" if rest.strip() else outer
    return (
        f"{outer}\n\n{margin}{first}\n{rest}" if rest else f"{outer}\n\n{margin}{first}\n{margin}"
    )


def _docstring(function: ast.FunctionDef, renamed: Mapping[str, str], *, shortened: bool) -> str:
    """Return a docstring with the new names. If parameters are gone, return its first paragraph."""
    text = ast.get_docstring(function) or ""
    if '"' in text[-1:] or '"""' in text or "\\" in text:
        return ""
    if shortened:
        text = text.split("\n\n")[0]
    for old, new in renamed.items():
        if old != new and len(old) > 1:
            text = re.sub(rf"^(\s*){re.escape(old)}(?=\s*[:(])", rf"\g<1>{new}", text, flags=re.M)
    margin = " " * function.body[0].col_offset
    first, *lines = text.splitlines() or [""]
    if not lines:
        return first
    return "\n".join([first, *(f"{margin}{line}".rstrip() for line in lines), margin])
