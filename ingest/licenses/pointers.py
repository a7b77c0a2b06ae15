"""Sentences that refer to another text: "see the LICENSE file", and "adapted from <URL>"."""

import re
from collections.abc import Iterator

from ingest.licenses.records import Bearing, ReadFrom, Statement
from ingest.licenses.windows import Window

# Every Apache header ends with "See the License for the specific language": it names no file.
_FILE = (
    r"(?P<file>(?-i:LICEN[CS]E|COPYING|UNLICENSE)(?:[-._]\w[\w.\-]*\w)?"
    r"|(?:licen[cs]e|copying)(?:\.(?:txt|md|rst)\b|(?=[\"'`*>\])]*\s+file\b)))"
)
_QUOTE = r"[\"'`*<\[(]*"
# A sentence ends at a full stop and a space. `[^.]` would also stop in "v2.0" and "LICENSE.txt".
_REFERENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # … licensed under the BSD-style license found in the LICENSE file …
        r"(?:licen[cs]ed?|terms|covered|governed|distributed|released|subject|conditions?)\b"
        r"(?:(?!\.\s).){0,160}?\b(?:(?:found|contained|described|specified|given|available"
        r"|provided|stated|detailed|included|listed|set\s+forth|defined|written|present)\s+"
        r"(?:in|at|with|by)|in|see|per)\s+"
        rf"(?:the\s+|an?\s+|our\s+|this\s+|accompanying\s+|top-?level\s+|root\s+|project(?:'s)?\s+"
        rf"|file\s+|{_QUOTE}[^\s/]{{1,40}}/)*{_QUOTE}{_FILE}{_QUOTE}"
        r"(?=[\"'`*>\])]*(?:\s+(?:file|in\s+the|at\s+the|for|of|and)\b|\s*[.,;)]|\s*$))",
        # See LICENSE for the terms. Refer to the accompanying LICENSE file.
        r"\b(?:see|refer\s+to|read|check|consult|cf\.?)\s+(?:also\s+)?(?:the\s+|our\s+"
        r"|accompanying\s+|included\s+|attached\s+|top-?level\s+|root\s+|project(?:'s)?\s+|file\s+"
        rf"|{_QUOTE}[^\s/]{{1,40}}/)*{_QUOTE}{_FILE}{_QUOTE}"
        r"(?:\s+(?:file|in\b|at\b|for\b|and\b)|\s*[.,;)]|\s*$)",
        rf"\b(?:the\s+)?accompanying\s+(?:file\s+)?{_QUOTE}{_FILE}\b",
    )
)
_ORIGIN = re.compile(
    r"\b(?:adapted|copied|taken|borrowed|ported|derived|modified|forked|lifted|stolen|based|adopted"
    r"|extracted|imported|originally|originates?|sourced|inspired|vendored)\b"
    r"(?:(?!\.\s)[^\n]){0,60}?\b(?:from|on|of|by|in|at)\b(?:(?!\.\s).){0,80}?"
    r"(?P<url>(?:https?://|github\.com/|gitlab\.com/)[^\s)\]>\"'`,]{3,200})",
    re.IGNORECASE,
)
_OF_LICENSES = re.compile(
    r"apache\.org/licen|opensource\.org|gnu\.org/|creativecommons\.org|spdx\.org", re.IGNORECASE
)
LONGEST_SENTENCE = 20_000


def references(window: Window) -> list[Statement]:
    """Return each reference to a license file in the window, such as "see LICENSE"."""
    return [
        _statement(window, match, ReadFrom.REFERENCE, Bearing.REFERENCE, match["file"])
        for match in _outside_each_other(window)
    ]


def origins(window: Window) -> list[Statement]:
    """Return each "adapted from <URL>" of the window. It grants no rights and does not count."""
    return [
        _statement(window, match, ReadFrom.PROVENANCE, Bearing.SHOWN, match["url"].rstrip(".;:"))
        for match in _ORIGIN.finditer(window.sentence()[:LONGEST_SENTENCE])
        if not _OF_LICENSES.search(match["url"])
    ]


def _outside_each_other(window: Window) -> Iterator[re.Match[str]]:
    sentence, end = window.sentence()[:LONGEST_SENTENCE], -1
    found = [match for pattern in _REFERENCES for match in pattern.finditer(sentence)]
    for match in sorted(found, key=lambda match: (match.start(), -match.end())):
        if match.start() >= end:
            end = match.end()
            yield match


def _statement(
    window: Window, match: re.Match[str], read_from: ReadFrom, bearing: Bearing, target: str
) -> Statement:
    return window.stated(
        match,
        read_from=read_from,
        bearing=bearing,
        expression=None,
        matched_text=match.group().strip()[:500],
        confidence=0.9,
        detector=f"{read_from}-note",
        target=target,
    )
