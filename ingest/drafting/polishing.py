"""Polishing of a whole draft: what a reader of the three texts does not need goes.

Every rule keeps what the texts compute. A text that a rule leaves incomplete is not taken.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ingest.drafting.edits import UNREADABLE
from ingest.drafting.expected import Test, find_tensors
from ingest.drafting.folding import PLAIN, TENSOR, fold_function
from ingest.drafting.records import Draft
from ingest.drafting.slices import Cut
from ingest.drafting.standalone import Isolator
from ingest.drafting.statements import stored_names
from ingest.drafting.wrappers import merge_wrappers

ROUNDS = 6


def polish(draft: Draft, test: Test, whole: Cut, isolator: Isolator) -> Draft:
    """Return the draft with texts that are shorter to read."""
    known = find_kinds(test, whole)
    texts = draft.texts
    triton = _merged(texts.triton_code, draft.entry_point, known)
    python = _merged(texts.python_code, draft.entry_point, {})
    return replace(
        draft,
        texts=replace(
            texts,
            python_code=_pruned(texts.python_code, python, draft.entry_point, test, isolator),
            triton_code=_pruned(texts.triton_code, triton, draft.entry_point, test, isolator),
        ),
    )


def find_kinds(test: Test, whole: Cut) -> dict[str, object]:
    """Return the parameters of a side that are tensors, or plain values, in every case."""
    kinds: dict[str, object] = dict.fromkeys(find_tensors(whole), TENSOR)
    made = frozenset().union(*map(stored_names, whole.inputs))
    rows = test.cases.rows
    for name in set().union(*rows) - made if rows else ():
        values = [row.get(name) for row in rows]
        if all(isinstance(value, int | float | str | tuple) for value in values):
            kinds[name] = PLAIN
    return kinds


def _merged(text: str, name: str, known: dict[str, object]) -> str:
    for _ in range(ROUNDS):
        changed = fold_function(merge_wrappers(text, name), name, known)
        if changed == text:
            break
        text = changed
    return text


def _pruned(old: str, new: str, name: str, test: Test, isolator: Isolator) -> str:
    """Return the new text without the code that it needs no more, or the old one if it is not
    complete.
    """
    if new == old:
        return old
    module = isolator.isolated(test.suite, new, name)
    if module.reasons or not _parses(module.text):
        return old
    return module.text.strip("\n") + "\n"


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except UNREADABLE:
        return False
    return bool(text)
