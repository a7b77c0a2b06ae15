"""Polishing of a whole draft: what a reader of the three texts does not need goes.

Every rule keeps what the texts compute. A text that a rule leaves incomplete is not taken.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ingest.drafting.edits import UNREADABLE
from ingest.drafting.expected import Test, find_tensors
from ingest.drafting.folding import PLAIN, TENSOR, fold_function
from ingest.drafting.layout import wrap_lines
from ingest.drafting.parameter_names import name_parameters
from ingest.drafting.plain_references import simplify_reference
from ingest.drafting.records import Draft
from ingest.drafting.slices import Cut
from ingest.drafting.standalone import Isolator
from ingest.drafting.statements import stored_names
from ingest.drafting.wrappers import merge_wrappers

ROUNDS = 6


def polish(draft: Draft, test: Test, whole: Cut, isolator: Isolator) -> Draft:
    """Return the draft with texts that are shorter to read."""
    name, texts = draft.entry_point, draft.texts
    triton = _merged(texts.triton_code, name, find_kinds(test, whole))
    triton = _pruned(texts.triton_code, triton, name, test, isolator)
    python = _merged(texts.python_code, name, {})
    python = simplify_reference(python, name, texts.test_code)
    python = _pruned(texts.python_code, python, name, test, isolator)
    python, triton = name_parameters(python, triton, name)
    python, triton = wrap_lines(python, name), wrap_lines(triton, name)
    return replace(draft, texts=replace(texts, python_code=python, triton_code=triton))


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
