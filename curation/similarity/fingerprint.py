"""The fingerprint of a text: what is stored of it, and what two texts are compared by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curation.similarity.minhash import SCHEME, bands, signature, to_bytes
from curation.similarity.shingles import Shingles, shingles_and_counts
from curation.similarity.syntax import syntax_hash


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    syntax_hash: str
    words: int
    signature: bytes
    bands: tuple[int, ...]
    shingles: Shingles
    """Not stored: made again from the text when a candidate is verified."""
    scheme: str = SCHEME


def fingerprint(text: str) -> Fingerprint:
    return fingerprints([text])[0]


def fingerprints(texts: Iterable[str]) -> list[Fingerprint]:
    texts = list(texts)
    return [
        _fingerprint(text, found, words)
        for text, (found, words) in zip(texts, shingles_and_counts(texts), strict=True)
    ]


def _fingerprint(text: str, found: Shingles, words: int) -> Fingerprint:
    values = signature(found)
    return Fingerprint(syntax_hash(text), words, to_bytes(values), bands(values), found)
