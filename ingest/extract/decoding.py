"""Decoding of a Python file's bytes, as Python itself does it.

Line ends become `\\n`, so that line numbers and hashes do not depend on the author's platform.
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
    """Return the text of a source file, with a note if the bytes do not match their declared
    encoding."""
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
    # A cookie may name a codec that does not decode text, such as `zlib` or `unicode_escape`.
    try:
        codec = codecs.lookup(name)
    except LookupError:
        return False
    return codec.name not in {"unicode_escape", "raw_unicode_escape", "undefined"}


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
