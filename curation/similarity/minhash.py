"""MinHash signatures, bit for bit equal to those of the `affine32` scheme of datasketch 2.

`affine32` has advantages over `legacy`: no bias on large sets, half the bytes, and the same result
on every machine, because it uses only 32-bit integers. The permutations come from `RandomState(1)`,
and numpy promises not to change its random numbers.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from curation.similarity.shingles import WORDS_PER_SHINGLE, Shingles
from curation.similarity.words import mix64

BANDS, ROWS = 25, 5
"""Bands and rows that `MinHashLSH(threshold=0.7, num_perm=125, weights=(0.01, 0.99))` chooses.

At a similarity of 0.7, one near-duplicate in 100 is missed. At 0.8, one in 20,000 is missed.
"""
PERMUTATIONS = BANDS * ROWS
SEED = 1
# Number of shingles that are permuted together, so that long texts also take little memory.
CHUNK = 4096
SCHEME = f"words{WORDS_PER_SHINGLE}/affine32/seed{SEED}/{BANDS}x{ROWS}/1"

Signature = NDArray[np.uint32]


def signature(shingles: Shingles) -> Signature:
    multipliers, offsets = _permutations()
    hashes = _premixed(shingle_hashes(shingles))
    lowest = np.full(PERMUTATIONS, 0xFFFFFFFF, np.uint32)
    for start in range(0, len(hashes), CHUNK):
        permuted = multipliers * hashes[start : start + CHUNK] + offsets
        np.minimum(lowest, permuted.min(axis=1), out=lowest)
    return lowest


def shingle_hashes(shingles: Shingles) -> NDArray[np.uint32]:
    """Return the upper half of each shingle's hash, which is the input of datasketch."""
    return (shingles >> np.uint64(32)).astype(np.uint32)


def bands(signature: Signature) -> tuple[int, ...]:
    """Return a signed 64-bit value for each band. It fits the type bigint of databases."""
    rows = signature.reshape(BANDS, ROWS).astype(np.uint64)
    mixed = mix64((rows * _ROW_WEIGHTS).sum(axis=1, dtype=np.uint64))
    return tuple(mixed.view(np.int64).tolist())


def to_bytes(signature: Signature) -> bytes:
    return signature.astype("<u4").tobytes()


def from_bytes(data: bytes) -> Signature:
    return np.frombuffer(data, "<u4").astype(np.uint32)


_ROW_WEIGHTS = mix64(np.arange(1, ROWS + 1, dtype=np.uint64)) | np.uint64(1)


@functools.cache
def _permutations() -> tuple[Signature, Signature]:
    random = np.random.RandomState(SEED)
    odd = random.randint(0, 1 << 31, PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    offsets = random.randint(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)
    return odd[:, None], offsets[:, None]


def _premixed(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))
