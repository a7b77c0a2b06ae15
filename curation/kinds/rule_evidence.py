"""Evidence of a classification: the rule, and the line that it matched."""

from __future__ import annotations

from dataclasses import dataclass

from curation.kinds.reading import Call


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for a verdict. `line` counts from 1 in the read text; `says` is the verdict."""

    says: str
    rule: str
    line: int
    text: str


def seen(says: str, rule: str, call: Call) -> Evidence:
    return Evidence(says, rule, call.line, call.text)
