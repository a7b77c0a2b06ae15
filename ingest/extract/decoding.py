"""Bytes of a Python file to text, the way Python itself would read them.

Line ends become `\\n`, so that line numbers and hashes don't depend on the platform of the author.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    note: str | None = None


def decode(data: bytes) -> Decoded:
    """Text of a source file; the note says so where the bytes weren't what they claim to be."""
    if data.startswith(codecs.BOM_UTF8):
        return _decode_as(data[len(codecs.BOM_UTF8) :], "utf-8")
    return _decode_as(data, _declared_encoding(data) or "utf-8")


def _decode_as(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_unify_line_ends(data.decode(encoding)))
    except (UnicodeError, LookupError):
        note = f"The bytes are not valid {encoding}, so they were read as latin-1."
        return Decoded(_unify_line_ends(data.decode("latin-1")), note)


def _declared_encoding(data: bytes) -> str | None:
    for line in re.split(rb"\r\n|\r|\n", data[:1000], maxsplit=2)[:2]:
        if match := COOKIE.match(line):
            name = match.group(1).decode("ascii", "replace")
            return name if _is_text_encoding(name) else None
        if not BLANK_OR_COMMENT.match(line):
            return None
    return None


def _is_text_encoding(name: str) -> bool:
    # A cookie may name a codec such as `zlib` or `unicode_escape`, which is no way to read a file.
    try:
        codec = codecs.lookup(name)
    except LookupError:
        return False
    return codec.name not in {"unicode_escape", "raw_unicode_escape", "undefined"}


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
