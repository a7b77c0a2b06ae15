"""Words of Python texts as 64-bit codes, for shingles. A numpy array holds many texts at once.

Comments, docstrings, annotations of parameters, spaces and line breaks are ignored. No tree is
built, so this never fails. `syntax.py` builds a tree for exact comparison.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.similarity.bare import bare
from curation.similarity.headers import annotated_words

Codes = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Offsets = NDArray[np.int64]

# Minimum number of characters in a batch of texts.
BATCH = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Words of several texts. The words of text `i` are at `starts[i]` to `starts[i + 1]`."""

    codes: Codes
    are_names: Flags
    """True for names that a copy may change: no keyword, builtin, attribute, argument or callee."""
    starts: Offsets


def words(texts: Iterable[str]) -> Words:
    encoded = [bare(text).encode("utf-8", "replace") + b"\n" for text in texts]
    joined = b"".join(encoded) + b"\n"
    data = np.frombuffer(joined, np.uint8)
    text_ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    first, after, is_word = _spans(data, np.frombuffer(joined.translate(_BYTE_KINDS), np.uint8))
    codes = _codes(data, first, after)
    starts = np.searchsorted(first, text_ends).astype(np.int64)
    kinds = np.where(is_word, np.uint8(0), data[first])
    names = is_word & _STARTS_NAME[data[first]] & ~_are_fixed(codes)
    names &= ~_are_keyword_arguments(kinds, data, first) & ~_are_called(codes, kinds)
    dropped = _trailing_commas(kinds) | annotated_words(np.flatnonzero(codes == _DEF), kinds)
    if dropped.any():
        kept = ~dropped
        codes, names = codes[kept], names[kept]
        starts = np.concatenate(([0], np.cumsum(kept)))[starts].astype(np.int64)
    return Words(codes, names, starts)


_SPACE, _OPERATOR, _WORD = 0, 1, 2
_DOT, _EQUALS, _COMMA = b".=,"


def _byte_kinds() -> NDArray[np.uint8]:
    kinds = np.full(256, _OPERATOR, np.uint8)
    kinds[[*b" \t\n\r\f\v\\;\0"]] = _SPACE
    kinds[[*b'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"']] = _WORD
    kinds[128:] = _WORD
    return kinds


def _flags(members: bytes) -> Flags:
    flags = np.zeros(256, np.bool_)
    flags[[*members]] = True
    return flags


# `bytes.translate` is five times as fast as indexing an array by an array.
_BYTE_KINDS = _byte_kinds().tobytes()
_DIGITS = _flags(b"0123456789")
_STARTS_NAME = (_byte_kinds() == _WORD) & ~_DIGITS & ~_flags(b'"')
_CLOSES = _flags(b")]}")
_JOINS_EQUALS = _flags(b"=!<>+-*/%&|^@:~")
_BEFORE_ARGUMENT = _flags(b"(,")


def _spans(data: NDArray[np.uint8], kinds: NDArray[np.uint8]) -> tuple[Offsets, Offsets, Flags]:
    """Return the start and end of each word or operator, and whether it is a word."""
    in_word = kinds == _WORD
    # The word `.load` begins with its dot. In `1.5`, the dot is inside a word.
    dots = np.flatnonzero(data[:-1] == _DOT)
    dots = dots[in_word[dots + 1]]
    in_word[dots] = True
    begins = in_word.copy()
    begins[1:] &= ~in_word[:-1]
    begins[dots[~_DIGITS[data[dots + 1]]]] = True
    operators = kinds == _OPERATOR
    operators[dots] = False
    begins |= operators
    stops = np.flatnonzero(begins | (kinds == _SPACE))
    places = np.flatnonzero(begins[stops])
    first = stops[places]
    # Every text ends in a blank, so that a stop also follows the last word.
    return first, stops[places + 1], in_word[first]


_BASE = 0x9E3779B97F4A7C15
_BASE_INVERSE = pow(_BASE, -1, 1 << 64)


@functools.lru_cache(maxsize=8)
def _powers(base: int, count: int) -> Codes:
    powers = np.full(count, base, np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def _codes(data: NDArray[np.uint8], first: Offsets, after: Offsets) -> Codes:
    """Return `mix64(Σ byteᵢ · BASEⁱ)` of each span, computed from one running sum."""
    room = 1 << max(16, len(data).bit_length())
    sums = np.zeros(len(data) + 1, np.uint64)
    np.multiply(data, _powers(_BASE, room)[: len(data)], out=sums[1:])
    np.cumsum(sums, out=sums)
    return mix64((sums[after] - sums[first]) * _powers(_BASE_INVERSE, room)[first])


def mix64(values: Codes) -> Codes:
    """Apply MurmurHash3's finalizer. Every bit of the result depends on every bit of the value."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def code_of(word: str) -> int:
    """Return the code of one word without arrays, as a reference for the fast computation."""
    total = 0
    for power, byte in enumerate(word.encode()):
        total += byte * pow(_BASE, power, 1 << 64)
    return int(mix64(np.array([total % (1 << 64)], np.uint64))[0])


# The lists are explicit, because those of Python grow, but stored signatures must not change.
KEYWORDS = (
    "False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield"
)
BUILTINS = (
    "abs all any bool bytes callable complex dict divmod enumerate filter float frozenset getattr "
    "hasattr hash id int isinstance issubclass iter len list map max min next object pow print "
    "property range repr reversed round self set setattr slice sorted staticmethod str sum super "
    "tuple type zip"
)
FIXED = frozenset([*KEYWORDS.split(), *BUILTINS.split()])


def _are_fixed(codes: Codes) -> Flags:
    """Mark words with a fixed meaning: keywords and builtins."""
    fixed, by_upper_bits = _fixed()
    fixed_words = by_upper_bits[(codes >> np.uint64(48)).astype(np.intp)]
    # `isin` of numpy sorts its complete input, so pass only candidates.
    perhaps = np.flatnonzero(fixed_words)
    fixed_words[perhaps] = np.isin(codes[perhaps], fixed)
    return fixed_words


@functools.cache
def _fixed() -> tuple[Codes, Flags]:
    codes = np.array(sorted(code_of(word) for word in FIXED), np.uint64)
    by_upper_bits = np.zeros(1 << 16, np.bool_)
    by_upper_bits[(codes >> np.uint64(48)).astype(np.intp)] = True
    return codes, by_upper_bits


def _are_keyword_arguments(
    kinds: NDArray[np.uint8], data: NDArray[np.uint8], first: Offsets
) -> Flags:
    """Mark names of keyword arguments, which the callee defines: `mask` in `load(p, mask=m)`."""
    marked = np.zeros(len(kinds), np.bool_)
    equals = np.flatnonzero(kinds == _EQUALS)
    equals = equals[equals >= 2]
    at = first[equals]
    alone = ~_JOINS_EQUALS[data[at - 1]] & (data[at + 1] != _EQUALS)
    equals = equals[alone]
    marked[equals[_BEFORE_ARGUMENT[kinds[equals - 2]]] - 1] = True
    return marked


def _are_called(codes: Codes, kinds: NDArray[np.uint8]) -> Flags:
    """Mark `exp` in `exp(x)`. Otherwise kernels that differ in one function are near-duplicates."""
    marked = np.append(kinds[1:] == ord("("), False)
    marked[1:] &= codes[:-1] != _DEF
    return marked


def _trailing_commas(kinds: NDArray[np.uint8]) -> Flags:
    found: Flags = (kinds == _COMMA) & np.append(_CLOSES[kinds[1:]], False)
    return found


_DEF = np.uint64(code_of("def"))


def in_batches(texts: Iterable[str]) -> Iterable[list[str]]:
    """Yield texts in groups that are small enough for a processor's cache."""
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= BATCH:
            yield group
            group, size = [], 0
    if group:
        yield group
