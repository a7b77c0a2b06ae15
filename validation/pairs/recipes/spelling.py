"""Functions that Triton lacks, or that an exact style defines in another way.

Tables and templates call them by the keys of `NAMES`. A plain style uses short formulas and
Triton's own maxima and minima, which ignore NaN. An exact style defines helper functions.
"""

from __future__ import annotations

import re

NAMES = {
    "fmax": ("tl.maximum", "nan_maximum"),
    "fmin": ("tl.minimum", "nan_minimum"),
    "fclamp": ("tl.clamp", "nan_clamp"),
    "frow_max": ("tl.max", "nan_max"),
    "frow_min": ("tl.min", "nan_min"),
    "ftanh": ("_tanh", "_accurate_tanh"),
    "fexpm1": ("_expm1", "_accurate_expm1"),
    "flog1p": ("_log1p", "_accurate_log1p"),
    # The result is multiplied by a large factor, which magnifies errors of the short form.
    "fexact_tanh": ("_accurate_tanh", "_accurate_tanh"),
}
"""Names of each function, first in a plain style and then in an exact style."""
CALL = re.compile(rf"(?<![.\w])({'|'.join(NAMES)})(?=\()")
DEFINITIONS = '''
@triton.jit
def nan_maximum(a, b):
    """Return the larger value, or NaN if there is one."""
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def nan_minimum(a, b):
    """Return the smaller value, or NaN if there is one."""
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def nan_clamp(x, low, high):
    """Limit a value to a range. NaN stays NaN."""
    return tl.clamp(x, low, high, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def nan_max(x, axis: tl.constexpr, keep_dims: tl.constexpr = False):
    """Return the largest value along an axis, or NaN if there is one. `tl.max` ignores NaN."""
    has_nan = tl.max((x != x).to(tl.int32), axis=axis, keep_dims=keep_dims) > 0
    return tl.where(has_nan, float("nan"), tl.max(x, axis=axis, keep_dims=keep_dims))


@triton.jit
def nan_min(x, axis: tl.constexpr, keep_dims: tl.constexpr = False):
    """Return the smallest value along an axis, or NaN if there is one. `tl.min` ignores NaN."""
    has_nan = tl.max((x != x).to(tl.int32), axis=axis, keep_dims=keep_dims) > 0
    return tl.where(has_nan, float("nan"), tl.min(x, axis=axis, keep_dims=keep_dims))


@triton.jit
def _tanh(x):
    """Hyperbolic tangent by the sigmoid, which does not overflow."""
    return 2.0 * tl.sigmoid(2.0 * x) - 1.0


@triton.jit
def _expm1(x):
    """exp(x) - 1; near zero the subtraction cancels digits, an absolute error of about 1e-7."""
    return tl.exp(x) - 1.0


@triton.jit
def _log1p(x):
    """log(1 + x); the sum rounds off digits of a small x, an absolute error of about 1e-7."""
    return tl.log(1.0 + x)


@triton.jit
def _accurate_tanh(x):
    """Hyperbolic tangent; a series keeps the digits that the sigmoid cancels near zero."""
    square = x * x
    series = 0.13333334 - square * (0.05396825 - square * 0.02186949)
    series = x * (1.0 - square * (0.33333334 - square * series))
    return tl.where(tl.abs(x) < 0.3, series, 2.0 * tl.sigmoid(2.0 * x) - 1.0)


@triton.jit
def _accurate_expm1(x):
    """exp(x) - 1; a series keeps the digits that the subtraction cancels near zero."""
    series = 0.5 + x * (0.16666667 + x * (0.041666668 + x * 0.008333334))
    series = x * (1.0 + x * series)
    return tl.where(tl.abs(x) < 0.1, series, tl.exp(x) - 1.0)


@triton.jit
def _accurate_log1p(x):
    """log(1 + x), corrected for the digits of x that adding 1 rounds away."""
    total = 1.0 + x
    return tl.where(total == 1.0, x, tl.log(total) * (x / (total - 1.0)))
'''


def spelled(body: str, *, exact: bool) -> tuple[list[str], str]:
    """Return the helper functions that a text calls, and the text with the functions' names."""
    names = {name: spellings[exact] for name, spellings in NAMES.items()}
    used = {names[name] for name in CALL.findall(body)}
    helpers = [
        text for text in DEFINITIONS.strip().split("\n\n\n") if text[16:].partition("(")[0] in used
    ]
    return helpers, CALL.sub(lambda call: names[call[1]], body)
