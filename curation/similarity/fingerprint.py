"""The fingerprint of a text: what is stored of it, and what two texts are compared by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curation.similarity.minhash import SCHEME, Signature, bands, signatures, to_bytes
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
    counted = shingles_and_counts(texts)
    signed = signatures([found for found, _ in counted])
    return [
        _fingerprint(text, found, words, values)
        for text, (found, words), values in zip(texts, counted, signed, strict=True)
    ]


def _fingerprint(text: str, found: Shingles, words: int, values: Signature) -> Fingerprint:
    return Fingerprint(syntax_hash(text), words, to_bytes(values), bands(values), found)
