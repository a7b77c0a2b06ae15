"""Comparison of an answer with a float64 reference, and with torch's own error at the type.

An element may be off by some units in its own last place, plus what the reference is off by at
this type, plus what changes when the inputs change in their last bits: the three together are what
rounding explains. What is off by more is held against a fourth, which takes a run of its own:
what changes when every result on the way changes in its last bit.
"""

from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum

import numpy as np

from validation.harness.judge.leeway import Leeway
from validation.harness.judge.numbers import EPSILON, LARGEST, Array, Numbers

# In units of the type's epsilon, of the reference's own error, of the effect of shaken inputs, of
# that of rounded results. A GPU's exp and rsqrt are off by two units where torch's are by half of
# one, and a recurrence adds that up: 32 units of the answers' scale are honest, and a hundredth of
# what tf32 would be off by.
UNITS, SCALE_UNITS, OWN_ERROR, SHAKEN, ROUNDED = 16.0, 32.0, 4.0, 32.0, 4.0
UNITS_HALF, SCALE_UNITS_HALF, OWN_ERROR_HALF = 3.0, 0.5, 3.0
# A reference that is worse than this at its type computes something else in float64.
STRANGE = {"float32": 2e-3, "float16": 0.1, "bfloat16": 0.25}
CANCELLED = 2.0**-20
# A change of this share of the answer's scale is a jump; more than a few of them are none.
JUMP, FEW = 1e-2, 0.05
# Where all of an answer is below this, it is what rounding left of ordinary numbers. Where it is
# zero throughout, a product and a difference rounded in one step may leave that much, divided by
# the root of a normalisation's epsilon.
NOTHING, LEFT_OF_ZERO = 2.0**-16, 2.0**-12
STRAY_INTEGERS = 1e-3


class Grade(StrEnum):
    """Exactness of a right answer: the same bits, within rounding, or within a practical bound."""

    EXACT = "exact"
    CLOSE = "close"
    WITHIN = "within"


# How much each element moved, and what a unit of that is worth.
Effects = list[tuple[float, Array]]


@dataclass(frozen=True, slots=True)
class Expected:
    """The reference's answers: at the type, and in float64 if that was possible. With an
    infinity among the inputs it depends on the order of operations whether NaN comes out, or a
    limit."""

    native: Numbers
    precise: Numbers | None = None
    shaken: Numbers | None = None
    rounded: Numbers | None = None
    _: KW_ONLY
    infinite_inputs: bool = False
    leeway: Leeway = field(default_factory=Leeway)
    slack: float = 1.0
    """How much more is allowed: the bounds are estimates, and not made for inputs that the entry
    does not show."""
    reduced: float = 1.0
    """How many elements of the inputs there are for each of this answer's."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """`wrong` is empty where the answer is right. Errors are the largest of all elements;
    `share` is the largest error as a share of what was allowed. `grade` says how right it is."""

    wrong: str
    absolute: float = 0.0
    relative: float = 0.0
    share: float = 0.0
    grade: Grade = Grade.EXACT


def compare(actual: Numbers, expected: Expected) -> Comparison:
    native = expected.native
    if actual.dtype != native.dtype:
        return Comparison(f"type {actual.dtype} instead of {native.dtype}")
    if actual.shape != native.shape:
        return Comparison(f"shape {list(actual.shape)} instead of {list(native.shape)}")
    if len(actual.raw) == 0:
        return Comparison("")
    with np.errstate(all="ignore"):
        same = bytes(actual.raw) == bytes(native.raw)
        if native.dtype not in EPSILON:
            found = _integers(actual, expected)
        else:
            found = _floats(actual, expected)
        return found if same or found.wrong else _at_least_close(found)


def _at_least_close(found: Comparison) -> Comparison:
    return replace(found, grade=Grade.CLOSE) if found.grade is Grade.EXACT else found


def _floats(actual: Numbers, expected: Expected) -> Comparison:
    found, native = actual.values(), expected.native.values()
    if expected.infinite_inputs:
        found = np.where(np.isnan(native), native, found)
    precise, strange = _precise(expected, native)
    if precise is None:
        return _against(actual, found, native, native, [], expected)
    effects = _effects(expected, precise)
    if not strange:
        return _against(actual, found, native, precise, effects, expected)
    # Either the operation depends on the type, or the type's own answer is all rounding.
    one = _against(actual, found, native, native, [], expected)
    other = _against(actual, found, precise, precise, effects, expected)
    return other if one.wrong and not other.wrong else one


def _against(
    actual: Numbers, found: Array, native: Array, truth: Array, effects: Effects,
    expected: Expected,
) -> Comparison:  # fmt: skip
    dtype = expected.native.dtype
    finite = np.isfinite(native) & np.isfinite(truth)
    ordinary = bool(finite.all()) and bool(np.isfinite(found).all())
    if not ordinary:
        wrong = _special(found, native, _overflown(truth, dtype), finite)
        if wrong:
            return Comparison(wrong)
        finite &= np.isfinite(found)
        if not finite.any():
            return Comparison("")
        found, native, truth = found[finite], native[finite], truth[finite]
        effects = [(weight, moved[finite]) for weight, moved in effects]
    error, size = np.abs(found - truth), np.abs(truth)
    allowed = expected.slack * _allowed(dtype, size, native, truth, effects)
    share = error / allowed
    worst = int(share.argmax())
    # Of what is nearly nothing beside the rest, a relative error says nothing.
    floor = max(1e-3 * float(size.max()), float(np.finfo(np.float32).tiny))
    relative = float((error / np.maximum(size, floor)).max())
    comparison = Comparison("", float(error.max()), relative, float(share[worst]))
    if share[worst] <= 1:
        return comparison
    practical = expected.slack * expected.leeway.allowed(
        dtype, size, _scale(size), expected.reduced, shown=expected.slack == 1.0
    )
    if (error <= np.maximum(allowed, practical)).all():
        return replace(comparison, grade=Grade.WITHIN)
    allowed = np.maximum(allowed, practical)
    share = error / allowed
    worst = int(share.argmax())
    count, place = int((share > 1).sum()), int(np.flatnonzero(finite)[worst])
    said = (
        f"{count} of {finite.size} elements are wrong, the worst at "
        f"{_index(place, actual.shape)}: {_number(found[worst])} instead of "
        f"{_number(truth[worst])}, off by {error[worst]:.2g} where {allowed[worst]:.2g} is allowed"
    )
    return Comparison(said, float(error.max()), relative, float(share[worst]))


def _precise(expected: Expected, native: Array) -> tuple[Array | None, bool]:
    """Return the float64 answers, and whether they may answer another question."""
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
        # Where everything cancels, what is left at the type is all rounding.
        strange &= bool(np.abs(values[both]).max() > CANCELLED * scale)
    return values, strange


def _effects(expected: Expected, precise: Array) -> Effects:
    """Return the changes of the float64 answer, with their weights."""
    like = expected.precise
    return [
        (weight, np.abs(other.values() - precise))
        for weight, other in ((SHAKEN, expected.shaken), (ROUNDED, expected.rounded))
        if other and like and other.shape == like.shape and other.dtype == like.dtype
    ]


def _allowed(dtype: str, size: Array, native: Array, truth: Array, effects: Effects) -> Array:
    epsilon = EPSILON[dtype]
    half = epsilon > 2.0**-20
    units, scale_units, own = (
        (UNITS_HALF, SCALE_UNITS_HALF, OWN_ERROR_HALF) if half else (UNITS, SCALE_UNITS, OWN_ERROR)
    )
    scale = _scale(size)
    allowed = units * epsilon * size + scale_units * epsilon * scale
    allowed += own * float(np.abs(native - truth).max())
    for weight, moved in effects:
        allowed += weight * _moved(moved, scale)
    if dtype != "float64" and float(size.max()) <= NOTHING:
        allowed += NOTHING if size.any() else LEFT_OF_ZERO
    return allowed + np.finfo(np.float32).tiny


def _scale(size: Array) -> float:
    scale = float(np.sqrt(np.mean(size * size)))
    return scale if np.isfinite(scale) else float(size.max())


def _moved(moved: Array, scale: float) -> Array:
    """Return the effect of such a change on each element: the largest of all. But where
    a few jump (a rounding, a comparison), the others are not excused by that."""
    moved = np.where(np.isfinite(moved), moved, 0.0)
    jumped = moved > JUMP * scale
    if jumped.mean() > FEW:
        return np.full_like(moved, moved.max(initial=0.0))
    return np.where(jumped, moved, moved[~jumped].max(initial=0.0))


def _overflown(truth: Array, dtype: str) -> Array:
    """The precise answer as the type can hold it: what overflows is infinite."""
    if truth.dtype.kind == "c":
        return truth
    largest = LARGEST.get(dtype, np.inf)
    return np.where(np.abs(truth) > largest, np.sign(truth) * np.inf, truth)


def _special(found: Array, native: Array, truth: Array, finite: Array) -> str:
    """NaN and infinities must stand where either reference has them."""
    if found.dtype.kind == "c":
        same = np.isfinite(found) == np.isfinite(native)
    else:
        same = _alike(found, native) | _alike(found, truth)
    wrong = ~same
    if not wrong.any():
        return ""
    place = int(np.flatnonzero(wrong)[0])
    return (
        f"{int(wrong.sum())} of {found.size} elements are {_number(found[place])} "
        f"where the reference has {_number(native[place])}"
    )


def _alike(one: Array, other: Array) -> Array:
    same_infinity = np.isinf(one) & np.isinf(other) & (np.sign(one) == np.sign(other))
    both = np.isfinite(one) & np.isfinite(other)
    same: Array = both | same_infinity | (np.isnan(one) & np.isnan(other))
    return same


def _integers(actual: Numbers, expected: Expected) -> Comparison:
    found, native = actual.values(), expected.native.values()
    wrong = found != native
    for other in (expected.precise, expected.shaken, expected.rounded):
        # Where rounding decides (a tie, a bin's edge), another rounding is right as well.
        if other is not None and other.shape == actual.shape and other.dtype == actual.dtype:
            wrong &= found != other.values()
    count = int(wrong.sum())
    if not count:
        return Comparison("")
    distance = np.abs(found.astype(np.float64) - native.astype(np.float64))
    by_rounding = (
        expected.precise is not None
        and native.dtype != np.bool_
        and count <= STRAY_INTEGERS * found.size
        and float(distance[wrong].max()) <= 1
    )
    if by_rounding:
        return Comparison("", 1.0, 0.0, 1.0)
    place = int(np.flatnonzero(wrong)[0])
    said = (
        f"{count} of {found.size} elements are wrong, the first at "
        f"{_index(place, actual.shape)}: {found[place]} instead of {native[place]}"
    )
    return Comparison(said, float(distance.max()))


def _index(place: int, shape: tuple[int, ...]) -> str:
    return str([int(part) for part in np.unravel_index(place, shape)])


def _number(value: complex) -> str:
    return f"{value:.6g}"
