"""Judgment whether the three texts of a draft can be a pair."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from curation.source.text import UNREADABLE
from ingest.drafting.isolating.standalone import StandaloneModule
from ingest.drafting.outcomes import Missing, OperationDraft

OF_A_LIBRARY = re.compile(r"\btorch\.ops\.(?!aten\b|prims\b)\w+\.\w+")
# A checker that runs a kernel on copies of tensors can't change the addresses in a list.
ADDRESSES = re.compile(r"append\([^()]*\.data_ptr\(\)|\.data_ptr\(\)[^\]\n]*\bfor\b")
STANDING = {
    "python_code": (Missing.REFERENCE_NOT_STANDALONE, "The reference"),
    "test_code": (Missing.INPUTS_NOT_STANDALONE, "What makes the inputs"),
    "triton_code": (Missing.TRITON_NOT_STANDALONE, "The Triton side"),
}


def find_fault(
    draft: OperationDraft, modules: Mapping[str, StandaloneModule], where: str
) -> tuple[Missing, str] | None:
    """Return what a draft lacks and a sentence about it, or None if the draft is complete.

    `modules`: the three isolated texts by key. `where`: a description of the test for the sentence.
    """
    for key, (missing, what) in STANDING.items():
        reasons = modules[key].reasons
        if reasons:
            sentence = f"{what} does not stand alone ({where}). {' '.join(reasons)}"
            return missing, sentence
    if ADDRESSES.search(draft.texts.triton_code):
        sentence = f"The Triton side hands its kernels addresses of tensors in a list ({where})."
        return Missing.TRITON_NOT_STANDALONE, sentence
    for key in ("python_code", "triton_code"):
        found = OF_A_LIBRARY.search(getattr(draft.texts, key))
        if found:
            missing, what = STANDING[key]
            sentence = f"{what} needs {found[0]}, which a library registers ({where})."
            return missing, sentence
    if re.search(r"^(import|from) triton\b", draft.texts.python_code, re.M):
        sentence = f"The reference of {where} needs Triton itself."
        return Missing.KERNEL_AGAINST_KERNEL, sentence
    for text in (draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code):
        try:
            ast.parse(text)
        except UNREADABLE as error:
            sentence = f"What was written from {where} does not parse: {error}."
            return Missing.UNREADABLE, sentence
    return None
