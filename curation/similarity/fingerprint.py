"""Fingerprint of an item: properties of its text that are stored and compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from curation.similarity import structure
from curation.similarity.kernel_functions import kernel_function
from curation.similarity.minhash import bands, signature, to_bytes
from curation.similarity.operations import chain_hash, operation_chain
from curation.similarity.shingles import Shingles, shingles_and_counts
from curation.similarity.syntax import syntax_hash


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    syntax_hash: str
    words: int
    signature: bytes
    bands: tuple[int, ...]
    shingles: Shingles
    """Not stored, but computed from the text when a candidate is verified."""
    operation_hash: str = ""
    chain_hash: str = ""
    structure: bytes | None = None


def functions_of(of_pair: bool, syntax: str, operations: str, chain: str) -> frozenset[str]:
    """Return hashes that identify the function that an item computes.

    Items that compute the same function share at least one hash. A pair has one, for the syntax of
    its Python code. A kernel has two, for its syntax and for its name and calls.
    """
    return frozenset({operations} if of_pair else {syntax, chain})


def fingerprints(texts: Iterable[str]) -> list[Fingerprint]:
    """Return the fingerprints of kernels, or of the Triton code of pairs."""
    texts = list(texts)
    counted = shingles_and_counts(texts)
    return [
        _fingerprint(text, found, words)
        for text, (found, words) in zip(texts, counted, strict=True)
    ]


def with_python_side(of: Fingerprint, python_code: str, entry_point: str) -> Fingerprint:
    """Add the hashes of a pair's Python code to the fingerprint of its Triton code."""
    return replace(
        of,
        operation_hash=syntax_hash(python_code),
        chain_hash=chain_hash(operation_chain(python_code, entry_point)),
        structure=structure.to_bytes(structure.structure(python_code)),
    )


def _fingerprint(text: str, found: Shingles, words: int) -> Fingerprint:
    signed = signature(found)
    return Fingerprint(
        syntax_hash(text), words, to_bytes(signed), bands(signed), found,
        chain_hash=kernel_function(text),
    )  # fmt: skip
