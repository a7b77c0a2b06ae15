"""Practical bound on a kernel's error, beyond what rounding explains: the grade "within".

Three bounds hold at once: a table by type, the entry's own tolerance, and a cap on that tolerance.
The table's bound grows with the length of a reduction and with what the kernel's text declares. The
type is the narrower of the answer's and the case's, as a float32 state computed from float16 is as
inexact as float16. If a case names no type, the type of its half-precision inputs counts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from validation.harness.judge.numbers import Array

# Bounds relative to an element's size plus the answer's scale. Half precision is off by 4.9e-4 of
# an element's size, so float32 results that are computed in float16 exceed float32's bound.
SHARES = {
    "float64": 1e-11, "float32": 1e-4, "float16": 8e-3, "bfloat16": 3.2e-2,
    "float8_e4m3fn": 0.125, "float8_e5m2": 0.25, "complex64": 1e-4, "complex128": 1e-11,
}  # fmt: skip
# A product in tf32 rounds its inputs to 11 bits, and the next product in a chain rounds the result
# again; exp2 and approximations lose a few more units.
DECLARES_TF32, PRODUCTS_MOST, DECLARES_APPROXIMATE = 20.0, 2, 2.0
# Caps on the entry's tolerances: relative, and absolute as a multiple of the answer's scale.
CAPS = {
    "float64": (1e-6, 1e-6), "float32": (1e-2, 1e-2), "float16": (2e-2, 2e-2),
    "bfloat16": (5e-2, 5e-2), "float8_e4m3fn": (0.25, 0.25), "float8_e5m2": (0.5, 0.5),
}  # fmt: skip
# Errors of a sum grow as the root of its length: beyond LONG, by a factor of at most GROWTH_MOST.
LONG, GROWTH_MOST = 1024, 4.0

_DOT = re.compile(r"\btl\.dot\(")
_EXACT_DOT = re.compile(r"input_precision\s*=\s*['\"]ieee['\"]|allow_tf32\s*=\s*False")
_HALF = re.compile(r"\.to\(\s*tl\.b?float16\s*\)")
_APPROXIMATE = re.compile(r"\bexp2\b|\bfast_\w+|\bapprox\b|\bex2\b")


@dataclass(frozen=True, slots=True)
class PracticalBound:
    """`factor`: inexactness that the kernel's text declares. `tolerance`: the entry's own, by type.
    `case_type`: the type that the case names, or else that of its half-precision inputs."""

    factor: float = 1.0
    tolerance: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    case_type: str = ""

    def allowed(
        self, dtype: str, size: Array, scale: float, reduced: float, *, shown: bool
    ) -> Array:
        """Return the largest error that each element may have.

        size: absolute values of the elements.
        reduced: number of input elements for each output element.
        shown: whether a case has inputs of this kind. For other inputs the entry's tolerance is
        ignored, and only the cap holds.
        """
        if SHARES.get(self.case_type, 0.0) > SHARES.get(dtype, 1.0):
            dtype = self.case_type
        single = dtype in ("float32", "complex64")
        growth = min(max(reduced / LONG, 1.0) ** 0.5, GROWTH_MOST)
        share = SHARES.get(dtype, 0.0) * growth * (self.factor if single else 1.0)
        relative, absolute = CAPS.get(dtype, (0.0, 0.0))
        absolute *= max(scale, 1.0)
        if shown and dtype in self.tolerance:
            own_relative, own_absolute = self.tolerance[dtype]
            relative, absolute = min(own_relative, relative), min(own_absolute, absolute)
        practical: Array = share * (size + scale)
        return np.minimum(practical, relative * size + absolute)


def declared_factor(triton_code: str) -> float:
    """Return the factor of inexactness that the text declares: tf32 products or approximations."""
    products = len(_DOT.findall(triton_code))
    if products and not _EXACT_DOT.search(triton_code):
        # A text that rounds inputs to half precision gets no allowance for tf32.
        if _HALF.search(triton_code):
            return DECLARES_APPROXIMATE
        return DECLARES_TF32 * min(products, PRODUCTS_MOST)
    return DECLARES_APPROXIMATE if _APPROXIMATE.search(triton_code) else 1.0


def tolerances(given: Any) -> dict[str, tuple[float, float]]:
    """Read the entry's tolerances from its process: relative and absolute, by type."""
    return {
        str(dtype): (float(relative), float(absolute))
        for dtype, (relative, absolute) in dict(given).items()
    }
