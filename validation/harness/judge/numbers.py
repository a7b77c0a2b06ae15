"""A tensor's bytes as numbers that NumPy knows: halves of both kinds, 8-bit floats."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

DIRECT = {
    "float64": np.float64, "float32": np.float32, "float16": np.float16, "int64": np.int64,
    "int32": np.int32, "int16": np.int16, "int8": np.int8, "uint8": np.uint8, "bool": np.bool_,
    "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "complex64": np.complex64, "complex128": np.complex128,
}  # fmt: skip
# A power of two without sign or fraction: its exponents are compared as whole numbers.
EXPONENT_ONLY = "float8_e8m0fnu"
# Exponent bits, mantissa bits, and whether there are infinities.
EIGHT_BIT = {
    "float8_e5m2": (5, 2, 15, True),
    "float8_e4m3fn": (4, 3, 7, False),
}
EPSILON = {
    "float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7,
    "float8_e5m2": 2.0**-2, "float8_e4m3fn": 2.0**-3, "complex64": 2.0**-23,
    "complex128": 2.0**-52,
}  # fmt: skip
LARGEST = {
    "float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
    "float8_e5m2": 57344.0, "float8_e4m3fn": 448.0,
}  # fmt: skip


class Unreadable(Exception):
    """A description and bytes that don't make a tensor."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A tensor as it was described. `raw` are its bytes: what bitwise equality means."""

    dtype: str
    shape: tuple[int, ...]
    device: str
    raw: memoryview

    def values(self) -> Array:
        """Return the numbers as float64, int64, bool or complex128, flat."""
        if self.dtype in DIRECT:
            plain: Array = np.frombuffer(self.raw, DIRECT[self.dtype])
        elif self.dtype == "bfloat16":
            words = np.frombuffer(self.raw, np.uint16).astype(np.uint32) << 16
            plain = words.view(np.float32)
        elif self.dtype == EXPONENT_ONLY:
            plain = np.frombuffer(self.raw, np.uint8)
        else:
            plain = _table(self.dtype)[np.frombuffer(self.raw, np.uint8)]
        if plain.dtype.kind == "f":
            # A signalling NaN is no reason to complain.
            with np.errstate(invalid="ignore"):
                return plain.astype(np.float64)
        if plain.dtype.kind == "c":
            return plain.astype(np.complex128)
        return plain


def numbers(tree: Any, blobs: list[memoryview]) -> Numbers:
    """Return the tensor that a tree of a hostile process describes, checked."""
    try:
        dtype, shape, place = tree["dtype"], tree["shape"], tree["tensor"]
        whole = blobs[place]
        size = 1
        for length in shape:
            if type(length) is not int or length < 0:
                raise Unreadable("a tensor with a shape that is none")
            size *= length
        if size * width(dtype) != len(whole):
            raise Unreadable("a tensor whose bytes are not as many as its shape says")
        return Numbers(dtype, tuple(shape), str(tree["device"]), whole)
    except (KeyError, TypeError, IndexError) as error:
        raise Unreadable(f"a tensor that can't be read: {error!r}") from error


def width(dtype: str) -> int:
    if dtype in DIRECT:
        return int(np.dtype(DIRECT[dtype]).itemsize)
    if dtype == "bfloat16":
        return 2
    if dtype in EIGHT_BIT or dtype == EXPONENT_ONLY:
        return 1
    raise Unreadable(f"a tensor of type {str(dtype)[:40]}")


def _table(dtype: str) -> Array:
    exponent_bits, mantissa_bits, bias, infinities = EIGHT_BIT[dtype]
    table = np.empty(256)
    for code in range(256):
        sign = -1.0 if code & 0x80 else 1.0
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = code & ((1 << mantissa_bits) - 1)
        if infinities and exponent == (1 << exponent_bits) - 1:
            table[code] = sign * np.inf if mantissa == 0 else np.nan
        elif not infinities and code & 0x7F == 0x7F:
            table[code] = np.nan
        elif exponent == 0:
            table[code] = sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
        else:
            table[code] = sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
    return table
