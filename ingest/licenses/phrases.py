"""A phrase in a window as a statement, with its place and the words around it."""

import re

from ingest.licenses.records import Bearing, ReadFrom, Statement
from ingest.licenses.windows import Window

_AROUND = 80


def stated(
    window: Window,
    sentence: str,
    match: re.Match[str],
    *,
    read_from: ReadFrom,
    expression: str,
    confidence: float,
    detector: str,
    remark: str,
) -> Statement:
    """Return the statement for `match` in `sentence`, the window's text on one line."""
    start, end = max(0, match.start() - _AROUND), match.end() + _AROUND
    return Statement(
        read_from=read_from,
        bearing=Bearing.GRANT,
        expression=expression,
        start_line=window.line_at(match.start()),
        end_line=window.line_at(match.end() - 1),
        matched_text=sentence[start:end].strip(),
        confidence=confidence,
        detector=detector,
        remark=remark,
    )
