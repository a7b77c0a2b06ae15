"""SPDX-License-Identifier tags. If the expression of a tag is invalid, its terms are doubtful."""

import re

from ingest.licenses.expressions import normalize
from ingest.licenses.records import Bearing, ReadFrom, Statement
from ingest.licenses.windows import Window

_TAG = re.compile(r"SPDX-Licen[cs]e-(?:Identifier|Id)\s*[:=]\s*(?P<value>.*)", re.IGNORECASE)
_CLOSERS = re.compile(r"\s*(?:\*+/|--+>|\"{3}|'{3}|#\}|[*#;,.\"'\\`]+)\s*$")
_CONTINUED = re.compile(r"\b(?:AND|OR|WITH)$|\($", re.IGNORECASE)
_MOST_LINES = 4


def tags(window: Window) -> tuple[list[Statement], set[int]]:
    """Return the tags of a window, and the indices of the lines that they are on."""
    statements: list[Statement] = []
    tag_lines: set[int] = set()
    for place, line in enumerate(window.lines):
        match = _TAG.search(line)
        if match is None or place in tag_lines:
            continue
        value, last = _value(window, place, match["value"])
        tag_lines.update(range(place, last + 1))
        lines = (window.start_line + place, window.start_line + last)
        text = "\n".join(window.lines[place : last + 1])
        statements.append(tag_statement(value, lines, text, "spdx-tag"))
    return statements, tag_lines


def tag_statement(value: str, lines: tuple[int, int], text: str, detector: str) -> Statement:
    """Return the statement of a tag or annotation. lines: its first and last line number."""
    expression = normalize(value)
    return Statement(
        read_from=ReadFrom.SPDX_TAG,
        bearing=Bearing.GRANT if expression else Bearing.DOUBT,
        expression=expression,
        start_line=lines[0],
        end_line=lines[1],
        matched_text=text[:500],
        confidence=1.0,
        detector=detector,
        remark="" if expression else f"{value[:100]!r} is no valid SPDX expression.",
    )


def _value(window: Window, place: int, text: str) -> tuple[str, int]:
    """Return the tag's value and the index of its last line. The value may span several lines."""
    value = _clean(text)
    last = place
    while last + 1 < min(len(window.lines), place + _MOST_LINES) and _open(value):
        last += 1
        value = f"{value} {_clean(window.lines[last].lstrip(' #*/!;'))}"
    return value, last


def _open(value: str) -> bool:
    return value.count("(") > value.count(")") or bool(_CONTINUED.search(value))


def _clean(text: str) -> str:
    text = text.strip()
    while (shorter := _CLOSERS.sub("", text)) != text:
        text = shorter
    return text.strip()
