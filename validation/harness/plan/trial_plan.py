"""Trials of an entry: its own cases, called shown cases, and variants of them.

A case is JSON here, with types and tuples as tagged objects (see `worker/values.py`), because this
process must hold no object of the entry.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

Case = dict[str, Any]

Property = dict[str, Any]
"""A property that an argument has in every shown case, such as "of one sign"."""

Sizes = Mapping[str, Any]
"""Allowed sizes by key of a case: a list, or `multiple_of`, `min` and `max`."""

NO_SIZES: Sizes = {}
RESERVED = ("seed", "dtype")
# Kinds of trials that decide the verdict, and for each grade the kinds that determine it.
DECISIVE = ("shown", "seed", "near")
GRADES = {
    "sizes": ("size", "large"),
    "values": ("values", "property", "layout"),
    "special_values": ("special", "huge"),
}
# Replay modes in which the interpreter runs the programs of a launch in another order.
ORDERS = ("reversed", "shuffled")
# Lists of sizes that a trial's keys get in rotation. The first list that is small enough is used.
PRIMES = ((13, 7, 17, 5, 11, 3, 19), (7, 5, 3, 11), (3, 5, 2, 7), (3, 2))
# Maximum size of a variant, as a multiple of the largest shown case. The interpreter is slow.
LARGER = {"interpreter": 2, "cuda": 1 << 20}
SEEDS = {"interpreter": 1, "cuda": 2}
# Elements of inputs and outputs that a variant may always have, however small the cases are.
MOST = {"interpreter": 1 << 12, "cuda": 1 << 24}
# Elements of the one large trial in the interpreter, where all other trials are small.
LARGE = 40_000
# Number of sizes that are enlarged, one at a time.
KEYS = {"interpreter": 2, "cuda": 4}
HEAVY = 1 << 22
# Variants of values: name, kind, change, group. NaN has its sign bit set, as x86 processors produce
# it, so a sort by bits places it first.
VALUES: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("huge values (times 1000)", "huge", {"kind": "scaled", "by": 1000.0}, "huge values"),
    ("large values (times 30)", "values", {"kind": "scaled", "by": 30.0}, "large values"),
    ("large values (times 8)", "values", {"kind": "scaled", "by": 8.0}, "large values"),
    ("small values (times 0.001)", "values", {"kind": "scaled", "by": 1e-3}, "small values"),
    ("small values (times 0.03)", "values", {"kind": "scaled", "by": 3e-2}, "small values"),
    ("shifted values (plus 1000)", "values", {"kind": "shifted", "by": 1000.0}, ""),
    ("zeros", "values", {"kind": "scaled", "by": 0.0}, ""),
    ("NaN among the values", "special", {"kind": "special", "value": "-nan"}, ""),
    ("infinity among the values", "special", {"kind": "special", "value": "inf"}, ""),
)

EXPANDED_GRADIENTS = {"kind": "expanded gradients"}


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of inputs.

    variant: a change of the case's values or of their layout, see `worker/variants.py`.
    group: name of alternatives. Only the first of them that the reference answers counts.
    stands_in: whether sizes were reduced because the case is too large.
    unseen: its inputs have shapes that no shown case has, see `choice.select_telling`.
    """

    number: int
    name: str
    kind: str
    case: Case
    variant: dict[str, Any] | None = None
    group: str = ""
    modes: tuple[str, ...] = ("first",)
    stands_in: bool = False
    unseen: bool = False

    @property
    def brings_infinity(self) -> bool:
        return self.variant is not None and self.variant.get("value") == "inf"

    @property
    def expands_gradients(self) -> bool:
        """Return whether the gradients of the outputs have strides of 0."""
        return self.variant == EXPANDED_GRADIENTS

    @property
    def is_heavy(self) -> bool:
        """Return whether the inputs may be so large that their size should be requested first."""
        return _work(self.case) >= HEAVY


def shown(cases: Sequence[Case], device: str) -> list[Trial]:
    small = sorted(range(len(cases)), key=lambda number: _work(cases[number]))[:2]

    def modes(number: int) -> tuple[str, ...]:
        return ("first", "second") if device == "cuda" or number in small else ("first",)

    return [
        Trial(number, f"case {number}", "shown", case, modes=modes(number))
        for number, case in enumerate(cases)
    ]


def varied(
    cases: Sequence[Case], fixed: Sequence[str], gaps: Sequence[int], device: str, seed: int,
    first: int | None = None, properties: Sequence[Property] = (), sizes: Sizes = NO_SIZES,
) -> list[Trial]:  # fmt: skip
    """Return the trials with inputs that are not among the cases.

    gaps: positions of arguments that have gaps in memory in a shown case.
    first: the number of the first new trial. None means the number of cases.
    properties: properties that all shown inputs have in common.
    sizes: the sizes that the entry allows.
    """
    seen = {_key(case, None) for case in cases}
    modes = ("first", "second") if device == "cuda" else ("first",)
    trials: list[Trial] = []
    start = len(cases) if first is None else first
    for trial in _varied(cases, fixed, gaps, device, seed, properties):
        case = fitted(trial.case, sizes)
        if (key := _key(case, trial.variant)) not in seen:
            seen.add(key)
            trials.append(replace(trial, number=start + len(trials), case=case, modes=modes))
    return trials


def _key(case: Case, variant: dict[str, Any] | None) -> str:
    return json.dumps([case, variant], sort_keys=True)


def sizes(given: Any) -> Sizes:
    """Parse the SIZES that the entry's process reports, leaving out malformed parts."""
    usable: dict[str, Any] = {}
    for key, allowed in dict(given).items():
        if isinstance(allowed, list) and allowed and all(type(size) is int for size in allowed):
            usable[str(key)] = allowed
        elif isinstance(allowed, dict):
            bounds = {
                name: allowed[name]
                for name in ("multiple_of", "min", "max")
                if type(allowed.get(name)) is int
            }
            if bounds.get("multiple_of", 1) > 0:
                usable[str(key)] = bounds
    return usable


def smaller(case: Case, fixed: Sequence[str], sizes: Sizes = NO_SIZES) -> Iterator[Case]:
    """Yield the case with its sizes halved repeatedly, except for those that are fixed."""
    keys = size_keys(case, fixed)
    while True:
        half = fitted(_resized(case, keys, lambda size: max(1, size // 2)), sizes)
        if _work(half) >= _work(case):
            return
        case = half
        yield case


def fitted(case: Case, sizes: Sizes) -> Case:
    """Return the case with each size replaced by the nearest one that the entry allows."""
    for key in sizes.keys() & case.keys():
        case = _resized(case, [key], partial(_allowed, allowed=sizes[key]))
    return case


def _allowed(size: int, allowed: Any) -> int:
    if isinstance(allowed, list):
        return int(min(allowed, key=lambda other: (abs(other - size), other)))
    step = int(allowed.get("multiple_of", 1))
    low, high = int(allowed.get("min", step)), allowed.get("max")
    size = max(low, round(size / step) * step)
    return size if high is None else min(size, int(high) // step * step)


def light(shown: Sequence[tuple[Case, int]], most: int) -> list[Case]:
    """Return the cases to vary a dozen times each: those with small inputs. A data type without
    small inputs keeps its smallest case. `shown`: cases with the bytes of their inputs."""
    kept = []
    for case, taken in shown:
        alike = [size for other, size in shown if other.get("dtype") == case.get("dtype")]
        if taken <= max(most, min(alike)):
            kept.append(case)
    return kept


def _trial(
    name: str, kind: str, case: Case, variant: dict[str, Any] | None = None, group: str = ""
) -> Trial:
    return Trial(-1, name, kind, case, variant, group)


def _varied(
    cases: Sequence[Case], fixed: Sequence[str], gaps: Sequence[int], device: str, seed: int,
    properties: Sequence[Property],
) -> Iterator[Trial]:  # fmt: skip
    bases = _bases(cases, fixed)
    most = LARGER[device] * max(_work(case, fixed) for case in cases)

    def first_within(made: Sequence[Case]) -> Case:
        return next((case for case in made if _work(case, fixed) <= most), made[-1])

    for base in bases:
        yield from _seeds(base, seed, SEEDS[device] if base is bases[0] else 1)
        keys = size_keys(base, fixed)
        primes = [_resized(base, keys, _in_turn(numbers)) for numbers in PRIMES]
        yield _trial("primes", "size", first_within(primes))
        if base is bases[0] or device == "cuda":
            odd = [_resized(base, keys, change) for change in (_odd_and_larger, _odd_and_smaller)]
            yield _trial("odd sizes", "size", first_within(odd))
    # Several blocks, the last of them partly filled.
    largest = max(cases, key=lambda case: _work(case, fixed))
    uneven = _resized(largest, size_keys(largest, fixed), _odd_and_smaller)
    yield _trial("largest, made odd", "size", uneven)
    if large := _large(largest, fixed):
        # This trial is slow in the interpreter, so `select_large` decides whether it runs.
        kind = "large" if device == "interpreter" else "size"
        yield _trial(f"{LARGE:,} elements", kind, large)
    for trial in _sizes_apart(bases[0], size_keys(bases[0], fixed), device):
        if _work(trial.case, fixed) <= most:
            yield trial
    for name, kind, variant, group in VALUES:
        yield _trial(name, kind, bases[0], variant, group)
    for shared in properties:
        variant = {"kind": "property", **shared, "seed": seed}
        name = f"argument {shared['argument'] + 1} not {shared['property']}"
        yield _trial(name, "property", max(bases, key=_work), variant)
    if gaps:
        variant = {"kind": "spread", "arguments": list(gaps)}
        yield _trial("wider gaps", "layout", bases[0], variant)
    yield _trial("transposed in memory", "limit", bases[0], {"kind": "transposed"})


def _large(case: Case, fixed: Sequence[str]) -> Case | None:
    """Return the case with a larger first size, so that the product of all sizes is about LARGE.
    Only the first size grows, because many correct kernels can't handle such long rows."""
    keys = [key for key in size_keys(case, fixed) if type(case[key]) is int and case[key] > 1]
    work = _work(case, fixed)
    if not keys or not 0 < work < LARGE:
        return None
    return _resized(case, keys[:1], lambda size: LARGE * size // work | 1)


def _sizes_apart(base: Case, keys: Sequence[str], device: str) -> Iterator[Trial]:
    yield _trial("sizes of 1", "size", _resized(base, keys, lambda _: 1))
    if device == "cuda":
        # Triton compiles a kernel again for a size that is a multiple of 16, or 1.
        yield _trial("sizes of 32", "size", _resized(base, keys, lambda _: 32))
        for key in keys[:4]:
            yield _trial(f"{key} of 1", "size", _resized(base, [key], lambda _: 1))
    for key in keys[: KEYS[device]]:
        larger = _resized(base, [key], lambda size: 2 * size + 3)
        yield _trial(f"larger {key}", "size", larger)
        # A doubled size is divisible by every number that divides the shown size.
        yield _trial(f"twice {key}", "near", _resized(base, [key], lambda size: 2 * size))


def _seeds(base: Case, seed: int, count: int) -> Iterator[Trial]:
    for step in range(1, count + 1):
        if type(base.get("seed")) is int:
            yield _trial(f"another seed ({step})", "seed", {**base, "seed": seed + step})
        else:
            variant = {"kind": "shuffled", "seed": seed + step}
            yield _trial(f"shuffled values ({step})", "seed", base, variant)


def _bases(cases: Sequence[Case], fixed: Sequence[str]) -> list[Case]:
    """Return one case of medium size for each data type, in the order of the cases. A case with a
    single element is chosen only if its data type has no other."""
    by_type: dict[str, list[Case]] = {}
    for case in cases:
        by_type.setdefault(json.dumps(case.get("dtype")), []).append(case)
    bases = []
    for alike in by_type.values():
        # If FIXED names every size, find single elements by the product of the fixed sizes.
        filled = (
            [case for case in alike if _work(case, fixed) > 1]
            or [case for case in alike if _work(case) > 1]
            or alike
        )
        by_size = sorted(filled, key=lambda case: (_work(case, fixed), _work(case)))
        bases.append(by_size[(len(filled) - 1) // 2])
    return bases[:4]


def size_keys(case: Case, fixed: Sequence[str]) -> list[str]:
    """Return the keys of the case whose value is a size, or a tuple of sizes."""
    return [
        key
        for key, value in case.items()
        if key not in RESERVED and key not in fixed and _is_size(value)
    ]


def _is_size(value: Any) -> bool:
    parts = [value] if type(value) is int else _parts(value)
    return bool(parts) and all(type(part) is int and part >= 0 for part in parts)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = value.get("tuple")
    return value if isinstance(value, list) else []


def _resized(case: Case, keys: Sequence[str], change: Callable[[int], int]) -> Case:
    changed = dict(case)
    for key in keys:
        value = case[key]
        if type(value) is int:
            changed[key] = change(value)
        else:
            parts = [change(part) for part in _parts(value)]
            changed[key] = {"tuple": parts} if isinstance(value, dict) else parts
    return changed


def _odd_and_larger(size: int) -> int:
    return (size | 1) + 2


def _odd_and_smaller(size: int) -> int:
    return max(1, (size | 1) - 2)


def _in_turn(numbers: Sequence[int]) -> Callable[[int], int]:
    place = iter(range(10**9))
    return lambda _: numbers[next(place) % len(numbers)]


def _work(case: Case, fixed: Sequence[str] = ()) -> int:
    """Return the product of all sizes."""
    values = [case[key] for key in size_keys(case, fixed)]
    return math.prod(size if type(size) is int else math.prod(_parts(size)) for size in values)
