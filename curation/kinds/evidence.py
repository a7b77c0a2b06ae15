"""Why something is said of a kernel: the rule, and the line that it saw."""

from __future__ import annotations

from dataclasses import dataclass

from curation.kinds.reading import Call


@dataclass(frozen=True, slots=True)
class Evidence:
    """`line` counts from 1 in the text that was read; `says` is the verdict that it supports."""

    says: str
    rule: str
    line: int
    text: str


def seen(says: str, rule: str, call: Call) -> Evidence:
    return Evidence(says, rule, call.line, call.text)
