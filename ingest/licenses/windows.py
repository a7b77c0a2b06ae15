"""Windows: the parts of a file that mention licenses or origins. The detector reads only these.

The detector takes a tenth of a second for a text that a regular expression searches in
microseconds.
"""

import re
from dataclasses import dataclass
from typing import Any

from ingest.licenses.blocks import Block, BlockKind, blocks
from ingest.licenses.records import ReadFrom, Statement

# Maximum lines of a block that is read completely. A longer block is read around each match only.
LONGEST_WHOLE = 600
# Maximum characters of one file that are passed to the detector.
MOST_CHARACTERS = 60_000
LONGEST_LINE = 2_000
_LINES_BEFORE, _LINES_AFTER = 5, 40

SPEAKS_OF_LICENSES = re.compile(
    r"licen[cs]|spdx|permission is hereby|redistribut|all rights reserved|public domain"
    r"|\bcopyleft|proprietary|confidential|non-?\s?commercial|prohibited|trade secret"
    r"|commercial(?:ly)?\s+(?:use|purpose)|(?:research|academic|internal)\s+(?:use|purpose)"
    r"|research\s+only|not\s+for\s+commercial|commercial\s+software|monetary|free\s+software"
    r"|released\s+under|same\s+terms\s+as|terms\s+(?:of\s+(?:use|service)|and\s+conditions)"
    r"|not\s+be\s+(?:used|reproduced|modified|sold|copied|removed|distributed)|not\s+permitted"
    r"|not\s+(?:hereby\s+)?granted|permission\s+(?:of|from|is|to)\b|intellectual\s+property"
    r"|warrant(?:y|ies)\b|(?:evaluation|educational)\s+(?:use|purpose)|restricted\s+rights"
    r"|share-?\s?alike|special\s+exception|\bpatents?\b|copyright\s+laws?\b"
    r"|\bGNU\b|(?-i:\b[AL]?GPL|\bMIT\b|\bBSD\b|\bApache\b|\bCC0\b|\bCC[- ]BY|\bMPL\b|\bEULA\b)",
    re.IGNORECASE,
)
_SPEAKS_OF_ORIGIN = re.compile(
    r"copyright|\(c\)\s|©|https?://|github\.com/|\b(?:adapted|copied|taken|borrowed|ported|derived"
    r"|modified|forked|lifted|stolen|based)\b",
    re.IGNORECASE,
)
_MARKERS = " \t#*/!;|%\"'-="
_HEADERS = {BlockKind.COMMENT, BlockKind.TEXT}


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of a block that mention licenses, or that mention only an origin."""

    kind: BlockKind
    start_line: int
    lines: tuple[str, ...]
    speaks_of_licenses: bool

    def sentence(self) -> str:
        """Return the window's words on one line, without comment markers."""
        return " ".join(line.strip(_MARKERS) for line in self.lines)

    @property
    def read_from(self) -> ReadFrom:
        return ReadFrom.HEADER if self.kind in _HEADERS else ReadFrom.DOCSTRING

    def stated(self, match: re.Match[str], **facts: Any) -> Statement:
        """Return the statement for a match in `sentence()`, with the file's line numbers."""
        first, last = self.line_at(match.start()), self.line_at(match.end() - 1)
        return Statement(start_line=first, end_line=last, **facts)

    def line_at(self, offset: int) -> int:
        """Return the number of the file's line at this offset of the sentence."""
        for place, line in enumerate(self.lines):
            offset -= len(line.strip(_MARKERS)) + 1
            if offset < 0:
                return self.start_line + place
        return self.start_line + len(self.lines) - 1


def windows(path: str, text: str) -> tuple[tuple[Window, ...], tuple[str, ...]]:
    """Return the windows of a file, and remarks about parts that were not read."""
    if not SPEAKS_OF_LICENSES.search(text) and not _SPEAKS_OF_ORIGIN.search(text):
        return (), ()
    results: list[Window] = []
    room = MOST_CHARACTERS
    for block in blocks(path, text):
        if block.kind is BlockKind.CONSTANT and len(block.lines) < 2:
            continue
        for window in _windows_of(block):
            # The limit is for the detector, which does not read windows with only an origin.
            size = sum(map(len, window.lines)) if window.speaks_of_licenses else 0
            if size > room:
                return tuple(results), (
                    f"Only the first {MOST_CHARACTERS} characters that speak of licenses "
                    f"were read, up to line {window.start_line}.",
                )
            room -= size
            results.append(window)
    return tuple(results), ()


def _windows_of(block: Block) -> list[Window]:
    lines = tuple(line[:LONGEST_LINE] for line in block.lines)
    license_hits = [n for n, line in enumerate(lines) if SPEAKS_OF_LICENSES.search(line)]
    hits = license_hits or [n for n, line in enumerate(lines) if _SPEAKS_OF_ORIGIN.search(line)]
    if not hits:
        return []
    if len(lines) <= LONGEST_WHOLE:
        return [Window(block.kind, block.start_line, lines, bool(license_hits))]
    spans: list[list[int]] = []
    for hit in hits:
        start, end = max(0, hit - _LINES_BEFORE), min(len(lines), hit + _LINES_AFTER)
        if spans and start <= spans[-1][1]:
            spans[-1][1] = end
        else:
            spans.append([start, end])
    return [
        Window(block.kind, block.start_line + start, lines[start:end], bool(license_hits))
        for start, end in spans
    ]
