"""Decoding of a Python file's bytes, as Python itself does it.

Line ends become `\\n`, so that line numbers and hashes do not depend on the author's platform.
"""

from __future__ import annotations

import codecs
import io
import tokenize
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    note: str | None = None


def decode(data: bytes) -> Decoded:
    """Return the text of a source file. Its note says if the declared encoding was wrong."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text, note = data.decode(encoding), None
    except (SyntaxError, UnicodeError, LookupError):
        text = data.decode("latin-1")
        note = "The bytes are not of their declared encoding, so they were read as latin-1."
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text, note)
