"""Marks of the project's own checks in the code of pairs. No model may learn them."""

import re

from curation.models import PairOrigin

# Drafts of earlier versions have it. In 98 repositories with Triton, no author wrote it.
OURS = re.compile(r"is_available\(\) else \w+\[:1\]|^from (?:python|triton)_code ", re.M)
# Authors of real code mention Triton's interpreter, and take a first configuration, too.
GENERATED = re.compile(
    rf"{OURS.pattern}|\.is_available\(\) else|configs\[:1\]|\binterpreter|TRITON_INTERPRET"
    r"|\bharness\b",
    re.IGNORECASE | re.MULTILINE,
)


def mark_in(text: str, origin: object) -> str:
    """Return the first mark in a text of a pair, or ""."""
    found = (OURS if origin == PairOrigin.REAL_WORLD else GENERATED).search(text)
    return found[0] if found else ""
