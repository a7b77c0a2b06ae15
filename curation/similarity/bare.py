"""Removal of comments and docstrings. Other strings are replaced by hashes."""

from __future__ import annotations

import re
import zlib

# Loops are unrolled: this is twice as fast as alternatives inside a repetition.
COMMENT_OR_STRING = re.compile(
    r"#.*"
    r"|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*(?:'''|\\?\Z)"
    r'|"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*(?:"""|\\?\Z)'
    r"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?"
    r'|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?'
)
STRING_PREFIXES = frozenset({"", "r", "u", "b", "f", "br", "rb", "fr", "rf"})


def bare(text: str) -> str:
    # Searching for a single character is ten times as fast as searching for any of the three. All
    # three are appended to the text, so that each search succeeds.
    text = text.replace("\0", " ") + "#'\""
    end = len(text) - 3
    comment, single, double = (text.index(mark) for mark in "#'\"")
    pieces: list[str] = []
    at = 0
    while (start := min(comment, single, double)) < end:
        match = COMMENT_OR_STRING.match(text, start, end)
        assert match is not None  # noqa: S101 - each of the three begins something
        pieces += text[at:start], _replacement(match, end)
        at = match.end()
        if comment < at:
            comment = text.index("#", at)
        if single < at:
            single = text.index("'", at)
        if double < at:
            double = text.index('"', at)
    return "".join((*pieces, text[at:end]))


def _replacement(match: re.Match[str], text_end: int) -> str:
    literal = match[0]
    if literal[0] == "#":
        return ""
    text, start, end = match.string, match.start(), match.end()
    line_end = text.find("\n", end, text_end)
    if not text[end : line_end if line_end >= 0 else text_end].strip():
        before = text[text.rfind("\n", 0, start) + 1 : start]
        if before.strip().lower() in STRING_PREFIXES:
            return ""
    value = literal.strip("'\"")
    return f' "{zlib.crc32(value.encode("utf-8", "replace")):08x} '
