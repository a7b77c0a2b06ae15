"""Names and comments of a whole draft, after its texts are final."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.outcomes import DraftTexts, OperationDraft
from ingest.drafting.writing.absent_names import drop_absent
from ingest.drafting.writing.case_keys import drop_unread_keys
from ingest.drafting.writing.comments import clean_comments
from ingest.drafting.writing.docstring_parts import trim_docstrings
from ingest.drafting.writing.entry_names import find_called, possible_names, with_own_name
from ingest.drafting.writing.helper_names import name_helpers
from ingest.drafting.writing.input_names import name_inputs
from ingest.drafting.writing.layout import wrap_lines
from ingest.drafting.writing.parameter_names import name_locals, name_parameters
from ingest.drafting.writing.parameter_order import order_parameters

# Empty lines that removed statements left inside of a function.
GAP = re.compile(r"\n\n\n+(?=[ \t]+\S)")


def finish(draft: OperationDraft, operation: str) -> OperationDraft:
    """Return the draft with the names that a person would give, and without comments on code that
    it lacks.
    """
    texts, name = draft.texts, draft.entry_point
    texts = order_parameters(texts, name)
    called = find_called(texts.triton_code, name)
    reserved = possible_names(draft, operation, called)
    python, triton = name_parameters(texts.python_code, texts.triton_code, name)
    python = name_helpers(python, name, reserved)
    texts = name_inputs(DraftTexts(python, triton, texts.test_code), name)
    python, triton = name_parameters(texts.python_code, texts.triton_code, name)
    made = drop_unread_keys(texts.test_code)
    texts = DraftTexts(name_locals(python, name), name_locals(triton, name), made)
    texts = _clean(texts, name)
    return with_own_name(replace(draft, texts=texts), operation, called)


def _clean(texts: DraftTexts, name: str) -> DraftTexts:
    """Return the texts without comments and docstrings about code that they lack."""
    python, triton = (
        _closed(wrap_lines(drop_absent(trim_docstrings(clean_comments(text))), name))
        for text in (texts.python_code, texts.triton_code)
    )
    return DraftTexts(python, triton, _closed(drop_absent(texts.test_code)))


def _closed(text: str) -> str:
    """Return the text without second empty lines inside of functions, but for those of texts."""
    try:
        nodes = list(walk(parse(text)))
    except UNREADABLE:
        return text
    edits = Edits(text)
    texts = [
        edits.parted(edits.start(node), edits.end(node))[:2]
        for node in nodes
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
    ]
    inside = [(len(before), len(before) + len(own)) for before, own in texts]

    def close(gap: re.Match[str]) -> str:
        within = any(first <= gap.start() < last for first, last in inside)
        return gap[0] if within else "\n\n"

    return GAP.sub(close, text)
