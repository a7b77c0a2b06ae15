"""Comparison of an answer with a float64 reference, and with torch's error in the inputs' type.

An element may be off by the sum of three errors: some units in its last place, the reference's
error at this type, and the effect of a change in the inputs' last bits. If the error is larger, a
fourth is added, which needs an additional run: the effect of a change in the last bit of every
intermediate result.

An answer is right if each error is within bounds that use torch's largest error in any element. It
has the grade "close" only if each error is also within bounds that use torch's largest error in
elements of similar or smaller size. So rounding of large elements hides no error of small ones.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum

import numpy as np

from validation.harness.judge.numbers import EPSILON, LARGEST, Array, Numbers
from validation.harness.judge.practical import PracticalBound

# Factors of the type's epsilon, the reference's own error, the effect of changed inputs and that of
# rounded results. A GPU's exp and rsqrt are off by two units, torch's by half a unit, and a
# recurrence adds that up. So correct kernels may be off by 32 units of scale: 1 % of tf32's error.
UNITS, SCALE_UNITS, OWN_ERROR, SHAKEN, ROUNDED = 16.0, 32.0, 4.0, 32.0, 4.0
UNITS_HALF, SCALE_UNITS_HALF, OWN_ERROR_HALF = 3.0, 0.5, 3.0
# If the reference's error in a data type exceeds this, it may compute something else in float64.
STRANGE = {"float32": 2e-3, "float16": 0.1, "bfloat16": 0.25}
CANCELLED = 2.0**-20
# A change beyond JUMP of the answer's scale is a jump, if at most FEW of the elements jump.
JUMP, FEW = 1e-2, 0.05
# NOTHING: if all elements are smaller, the answer is only the rounding error of ordinary numbers.
# LEFT_OF_ZERO: if the right answer is zero everywhere, a fused multiply-add may leave a rounding
# error, and a normalization divides it by the root of its epsilon. This is the largest result.
NOTHING, LEFT_OF_ZERO = 2.0**-16, 2.0**-12
STRAY_INTEGERS = 1e-3
# An element may be as wrong as torch is in elements up to 2**LARGER times as large. With 0, correct
# gradients of a log softmax in half precision exceed torch's error in small elements 8 times.
LARGER = 2


class Grade(StrEnum):
    """Exactness of a right answer: identical bits, within rounding, or within a practical bound."""

    EXACT = "exact"
    CLOSE = "close"
    WITHIN = "within"


def worst_grade(grades: Iterable[Grade]) -> Grade | None:
    return max(grades, key=list(Grade).index, default=None)


# Pairs of a weight and the error that it multiplies, for each element.
Effects = list[tuple[float, Array]]


@dataclass(frozen=True, slots=True)
class Expected:
    """The reference's answers: at the type of the inputs, and in float64 if that was possible.

    any_for_nan: accept any answer where `native` is NaN. If an input holds an infinity, the order
    of operations decides between NaN and a limit.
    slack: a factor on all bounds, which were estimated for inputs that the entry shows.
    reduced: number of input elements for each element of this answer.
    """

    native: Numbers
    precise: Numbers | None = None
    shaken: Numbers | None = None
    rounded: Numbers | None = None
    _: KW_ONLY
    any_for_nan: bool = False
    bound: PracticalBound = field(default_factory=PracticalBound)
    slack: float = 1.0
    reduced: float = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """`wrong` is a message, or empty. Errors are the largest of all elements.

    share: the largest error as a share of the allowed error.
    own_error: the largest error as a multiple of torch's own error at the type, in elements that
    are not much larger; None if torch has no error.
    """

    wrong: str
    absolute: float = 0.0
    relative: float = 0.0
    share: float = 0.0
    grade: Grade = Grade.EXACT
    own_error: float | None = None


def compare(actual: Numbers, expected: Expected) -> Comparison:
    native = expected.native
    if actual.dtype != native.dtype:
        return Comparison(f"type {actual.dtype} instead of {native.dtype}")
    if actual.shape != native.shape:
        return Comparison(f"shape {list(actual.shape)} instead of {list(native.shape)}")
    if len(actual.raw) == 0:
        return Comparison("")
    with np.errstate(all="ignore"):
        judge = _floats if native.dtype in EPSILON else _integers
        comparison = judge(actual, expected)
    if comparison.wrong or comparison.grade is not Grade.EXACT or actual.raw == native.raw:
        return comparison
    return replace(comparison, grade=Grade.CLOSE)


def _floats(actual: Numbers, expected: Expected) -> Comparison:
    values, native = actual.values(), expected.native.values()
    if expected.any_for_nan:
        values = np.where(np.isnan(native), native, values)
    precise, strange = _precise(expected, native)
    if precise is None:
        return _against(actual, values, native, native, [], expected)
    effects = _effects(expected, precise)
    if not strange:
        return _against(actual, values, native, precise, effects, expected)
    # Compare with both: the operation depends on the type, or its answer is a rounding error.
    by_native = _against(actual, values, native, native, [], expected)
    by_precise = _against(actual, values, precise, precise, effects, expected)
    return by_precise if by_native.wrong and not by_precise.wrong else by_native


def _against(
    actual: Numbers, values: Array, native: Array, truth: Array, effects: Effects,
    expected: Expected,
) -> Comparison:  # fmt: skip
    dtype = expected.native.dtype
    finite = np.isfinite(native) & np.isfinite(truth)
    if not (finite.all() and np.isfinite(values).all()):
        if wrong := _special(values, native, _overflown(truth, dtype)):
            return Comparison(wrong)
        finite &= np.isfinite(values)
        if not finite.any():
            return Comparison("")
        values, native, truth = values[finite], native[finite], truth[finite]
        effects = [(weight, moved[finite]) for weight, moved in effects]
    error, size = np.abs(values - truth), np.abs(truth)
    own = np.abs(native - truth)
    of_size = _largest_up_to(size, own)
    by_size = expected.slack * _allowed(dtype, size, of_size, effects)
    allowed = expected.slack * _allowed(dtype, size, float(own.max()), effects)
    share = error / allowed
    # For an element much smaller than the others, the relative error would mislead.
    floor = max(1e-3 * float(size.max()), float(np.finfo(np.float32).tiny))
    relative = float((error / np.maximum(size, floor)).max())
    multiple = error / np.maximum(of_size, EPSILON[dtype] / 2 * size)
    largest = float(multiple.max(initial=0.0, where=of_size > 0)) if own.any() else None
    comparison = Comparison("", float(error.max()), relative, float(share.max()), own_error=largest)
    if comparison.share <= 1:
        return comparison if (error <= by_size).all() else replace(comparison, grade=Grade.WITHIN)
    practical = expected.slack * expected.bound.allowed(
        dtype, size, _scale(size), expected.reduced, shown=expected.slack == 1.0
    )
    allowed = np.maximum(allowed, practical)
    if (error <= allowed).all():
        return replace(comparison, grade=Grade.WITHIN)
    share = error / allowed
    worst = int(share.argmax())
    count, place = int((share > 1).sum()), int(np.flatnonzero(finite)[worst])
    words = (
        f"{count} of {finite.size} elements are wrong, the worst at "
        f"{actual.index(place)}: {_number(values[worst])} instead of "
        f"{_number(truth[worst])}, off by {error[worst]:.2g} where {allowed[worst]:.2g} is allowed"
    )
    return Comparison(words, float(error.max()), relative, float(share[worst]))


def _precise(expected: Expected, native: Array) -> tuple[Array | None, bool]:
    """Return the float64 answer, or None if it is not usable. Also return whether it differs so
    much from the answer at the type that the reference may compute something else in float64."""
    precise = expected.precise
    if precise is None or precise.shape != expected.native.shape or precise.dtype not in EPSILON:
        return None, False
    values = precise.values()
    if values.dtype != native.dtype:
        return None, False
    strange = False
    both = np.isfinite(values) & np.isfinite(native)
    if both.any():
        scale = np.abs(native[both]).max()
        most = STRANGE.get(expected.native.dtype, 1e-6) * max(scale, 1e-30)
        strange = bool(np.abs(values - native)[both].max() > most)
        # If all terms cancel, the type's answer is a rounding error.
        strange &= bool(np.abs(values[both]).max() > CANCELLED * scale)
    return values, strange


def _effects(expected: Expected, precise: Array) -> Effects:
    """Return, with weights, how far rounding of inputs and results moves the float64 answer."""
    like = expected.precise
    return [
        (weight, np.abs(other.values() - precise))
        for weight, other in ((SHAKEN, expected.shaken), (ROUNDED, expected.rounded))
        if other and like and other.shape == like.shape and other.dtype == like.dtype
    ]


def _largest_up_to(size: Array, own: Array) -> Array:
    """Return for each element torch's largest error in elements that are not much larger."""
    powers = np.frexp(size)[1]
    powers = np.where(size > 0, powers, powers.min() - 1)
    powers -= powers.min()
    largest = np.zeros(int(powers.max()) + 1)
    np.maximum.at(largest, powers, own)
    largest = np.maximum.accumulate(largest)
    of_size: Array = largest[np.minimum(powers + LARGER, len(largest) - 1)]
    return of_size


def _allowed(dtype: str, size: Array, own_error: float | Array, effects: Effects) -> Array:
    epsilon = EPSILON[dtype]
    half = epsilon > 2.0**-20
    units, scale_units, own = (
        (UNITS_HALF, SCALE_UNITS_HALF, OWN_ERROR_HALF) if half else (UNITS, SCALE_UNITS, OWN_ERROR)
    )
    scale = _scale(size)
    allowed = units * epsilon * size + scale_units * epsilon * scale
    allowed += own * own_error
    for weight, moved in effects:
        allowed += weight * _moved(moved, scale)
    if dtype != "float64" and float(size.max()) <= NOTHING:
        allowed += NOTHING if size.any() else LEFT_OF_ZERO
    return allowed + np.finfo(np.float32).tiny


def _scale(size: Array) -> float:
    scale = float(np.sqrt(np.mean(size * size)))
    return scale if np.isfinite(scale) else float(size.max())


def _moved(moved: Array, scale: float) -> Array:
    """Return the effect of a change for each element: the largest on any element. The jump of a few
    elements (a rounding, a comparison) does not count for other elements."""
    moved = np.where(np.isfinite(moved), moved, 0.0)
    jumped = moved > JUMP * scale
    if jumped.mean() > FEW:
        return np.full_like(moved, moved.max(initial=0.0))
    return np.where(jumped, moved, moved[~jumped].max(initial=0.0))


def _overflown(truth: Array, dtype: str) -> Array:
    """Return the float64 answer with infinities where it overflows the type."""
    if truth.dtype.kind == "c":
        return truth
    largest = LARGEST.get(dtype, np.inf)
    return np.where(np.abs(truth) > largest, np.sign(truth) * np.inf, truth)


def _special(values: Array, native: Array, truth: Array) -> str:
    """Return a message if an element's NaN or infinity agrees with neither reference, or ""."""
    if values.dtype.kind == "c":
        same = np.isfinite(values) == np.isfinite(native)
    else:
        same = _alike(values, native) | _alike(values, truth)
    wrong = ~same
    if not wrong.any():
        return ""
    place = int(np.flatnonzero(wrong)[0])
    return (
        f"{int(wrong.sum())} of {values.size} elements are {_number(values[place])} "
        f"where the reference has {_number(native[place])}"
    )


def _alike(answer: Array, expected: Array) -> Array:
    """Return which elements are both finite, the same infinity, or both NaN."""
    same_infinity = np.isinf(answer) & (answer == expected)
    both = np.isfinite(answer) & np.isfinite(expected)
    same: Array = both | same_infinity | (np.isnan(answer) & np.isnan(expected))
    return same


def _integers(actual: Numbers, expected: Expected) -> Comparison:
    values, native = actual.values(), expected.native.values()
    wrong = values != native
    for other in (expected.precise, expected.shaken, expected.rounded):
        # Rounding may decide a tie or a bin, so the answers at other widths are right too.
        if other is not None and other.shape == actual.shape and other.dtype == actual.dtype:
            wrong &= values != other.values()
    count = int(wrong.sum())
    if not count:
        return Comparison("")
    distance = np.abs(values.astype(np.float64) - native.astype(np.float64))
    by_rounding = (
        expected.precise is not None
        and native.dtype != np.bool_
        and count <= STRAY_INTEGERS * values.size
        and float(distance[wrong].max()) <= 1
    )
    if by_rounding:
        return Comparison("", 1.0, 0.0, 1.0)
    place = int(np.flatnonzero(wrong)[0])
    words = (
        f"{count} of {values.size} elements are wrong, the first at "
        f"{actual.index(place)}: {values[place]} instead of {native[place]}"
    )
    return Comparison(words, float(distance.max()))


def _number(value: complex) -> str:
    return f"{value:.6g}"
