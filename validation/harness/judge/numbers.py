"""Tensors' bytes as NumPy arrays, including bfloat16 and 8-bit floats."""

from dataclasses import dataclass, field, replace
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
# Format without sign and mantissa, whose exponents are compared as integers.
EXPONENT_ONLY = "float8_e8m0fnu"
# Number of mantissa bits, exponent bias, and the first code that is not a number.
EIGHT_BIT = {"float8_e5m2": (2, 15, 0x7C), "float8_e4m3fn": (3, 7, 0x7F)}
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
    """A tensor's description and bytes that do not fit together."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A tensor as its process described it. Two tensors are bitwise equal if `raw` is equal.

    places: positions of sampled elements in the tensor; `shape` is the full tensor's.
    """

    dtype: str
    shape: tuple[int, ...]
    raw: memoryview
    places: Array | None = field(default=None, compare=False)

    def values(self) -> Array:
        """Return the elements as a flat array of float64, int64, bool or complex128."""
        if self.dtype in DIRECT:
            plain: Array = np.frombuffer(self.raw, DIRECT[self.dtype])
        elif self.dtype == "bfloat16":
            words = np.frombuffer(self.raw, np.uint16).astype(np.uint32) << 16
            plain = words.view(np.float32)
        elif self.dtype == EXPONENT_ONLY:
            plain = np.frombuffer(self.raw, np.uint8)
        else:
            plain = _eight_bit_values(self.dtype)[np.frombuffer(self.raw, np.uint8)]
        if plain.dtype.kind == "f":
            # NumPy would warn of a signaling NaN.
            with np.errstate(invalid="ignore"):
                return plain.astype(np.float64)
        return plain.astype(np.complex128) if plain.dtype.kind == "c" else plain

    def sample(self, places: Array) -> "Numbers":
        elements = np.frombuffer(self.raw, f"V{width(self.dtype)}")[places]
        return replace(self, raw=memoryview(elements.tobytes()), places=places)

    def index(self, place: int) -> list[int]:
        """Return the index of the element at a position of `values`."""
        whole = place if self.places is None else self.places[place]
        return [int(part) for part in np.unravel_index(whole, self.shape)]


def numbers(tree: Any, blobs: list[memoryview]) -> Numbers:
    """Return the tensor that a tree of a hostile process describes, or raise Unreadable."""
    try:
        dtype, shape, whole = tree["dtype"], tree["shape"], blobs[tree["tensor"]]
        size = 1
        for length in shape:
            if type(length) is not int or length < 0:
                raise Unreadable("a tensor with a shape that is none")
            size *= length
        if size * width(dtype) != len(whole):
            raise Unreadable("a tensor whose bytes are not as many as its shape says")
        return Numbers(dtype, tuple(shape), whole)
    except (KeyError, TypeError, IndexError) as error:
        raise Unreadable(f"a tensor that can't be read: {error!r}") from error


def width(dtype: str) -> int:
    """Return the bytes of an element."""
    if dtype in DIRECT:
        return int(np.dtype(DIRECT[dtype]).itemsize)
    if dtype == "bfloat16":
        return 2
    if dtype in EIGHT_BIT or dtype == EXPONENT_ONLY:
        return 1
    raise Unreadable(f"a tensor of type {str(dtype)[:40]}")


def _eight_bit_values(dtype: str) -> Array:
    """Return the values of all 256 codes of an 8-bit float."""
    bits, bias, first_special = EIGHT_BIT[dtype]
    codes = np.arange(128)
    exponent, mantissa = codes >> bits, codes & ((1 << bits) - 1)
    # Subnormal numbers have an exponent of 0, and no leading 1.
    significand = mantissa / (1 << bits) + (exponent > 0)
    values = np.ldexp(significand, np.maximum(exponent, 1) - bias)
    values[first_special:] = np.nan
    if dtype == "float8_e5m2":
        values[first_special] = np.inf
    return np.concatenate([values, -values])
