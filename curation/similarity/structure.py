"""Structure of a Python text: runs of tokens without names, numbers and strings.

It does not depend on the names of variables, constants and called functions. It serves to measure
repetition in a set, and to keep pairs with nearly the same structure in one split.
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from curation.similarity.bare import bare
from curation.similarity.minhash import Signature, signature
from curation.similarity.shingles import Shingles
from curation.similarity.words import KEYWORDS, mix64

TOKENS_PER_GRAM = 5

Structure = NDArray[np.uint32]
"""Sorted hashes of runs of tokens, without duplicates."""

TOKEN = re.compile(
    r'"[0-9a-f]{8}'  # A string, as `bare` writes it.
    r"|[^\W\d]\w*"
    r"|\.?\d(?:[eE][+-]\d|[\w.])*"
    r"|\*\*=|//=|>>=|<<=|\.\.\.|->|:=|[=!<>+\-*/%&|^@]=|\*\*|//|<<|>>"
    r"|[^\s\w]"
)
FIXED = frozenset(KEYWORDS.split())


def structure(text: str) -> Structure:
    codes = np.array([_code(token) for token in TOKEN.findall(_joined(bare(text)))], np.uint64)
    size = min(TOKENS_PER_GRAM, len(codes))
    count = len(codes) - size + 1
    grams = np.zeros(count, np.uint64)
    for place in range(size):
        grams = mix64(grams * np.uint64(31) + codes[place : place + count])
    return np.unique((grams >> np.uint64(32)).astype(np.uint32))


def as_shingles(one: Structure) -> Shingles:
    """Return 64-bit values. Their upper halves, which MinHash uses, are the hashes."""
    return one.astype(np.uint64) << np.uint64(32)


def structure_signature(one: Structure) -> Signature:
    return signature(as_shingles(one))


def to_bytes(one: Structure) -> bytes:
    return one.astype("<u4").tobytes()


def from_bytes(data: bytes) -> Structure:
    return np.frombuffer(data, "<u4").astype(np.uint32)


def _joined(text: str) -> str:
    """Join each line that ends in a backslash with the next line."""
    return text.replace("\\\n", " ")


@lru_cache(maxsize=1 << 15)
def _code(token: str) -> int:
    if token[0] == '"':
        kind = "string"
    elif token[0].isdigit() or (token[0] == "." and token[1:2].isdigit()):
        kind = "number"
    elif (token[0] == "_" or token[0].isalpha()) and token not in FIXED:
        kind = "name"
    else:
        kind = f"token {token}"
    return zlib.crc32(kind.encode("utf-8", "replace"))
