"""Packs that no honest git writes: small on the wire, huge once inflated."""

import hashlib
import struct
import zlib
from collections.abc import Sequence

BLOB, REF_DELTA = 3, 7
LONGEST_COPY = 0xFF_FFFF
"""The most bytes that one instruction of a delta can copy."""


def blob(data: bytes) -> bytes:
    """One blob of a pack as it is sent."""
    return _header(BLOB, len(data)) + zlib.compress(data, 9)


def delta(base: bytes, base_size: int, copies: Sequence[int]) -> bytes:
    """A blob that repeats the first bytes of the object `base`, so many for each of `copies`."""
    steps = b"".join(b"\xf0" + size.to_bytes(3, "little") for size in copies)
    text = _number(base_size) + _number(sum(copies)) + steps
    return _header(REF_DELTA, len(text)) + base + zlib.compress(text, 9)


def pack(objects: Sequence[bytes]) -> bytes:
    body = b"PACK" + struct.pack(">II", 2, len(objects)) + b"".join(objects)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def name(size: int) -> bytes:
    """Git's id of a blob of so many zeros."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    piece = bytes(1 << 20)
    for _ in range(size >> 20):
        digest.update(piece)
    digest.update(bytes(size & ((1 << 20) - 1)))
    return digest.digest()


def _header(kind: int, size: int) -> bytes:
    first, size = (kind << 4) | (size & 15), size >> 4
    return bytes([first | 128]) + _number(size) if size else bytes([first])


def _number(value: int) -> bytes:
    digits = bytearray()
    while value > 127:
        digits.append(128 | (value & 127))
        value >>= 7
    return bytes([*digits, value])
