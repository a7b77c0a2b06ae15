"""Trials of an entry: its own cases, and inputs that they don't show.

A case is JSON here (types and tuples are marked, see `inside/values.py`): nothing of the entry's
is an object on this side.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

Case = dict[str, Any]

Habit = dict[str, Any]
"""A property that an argument has in every shown case, such as "of one sign"."""

Sizes = Mapping[str, Any]
"""The sizes that keys of a case may have: a list, or `multiple_of`, `min` and `max`."""

NO_SIZES: Sizes = {}
RESERVED = ("seed", "dtype")
# By kind: trials that decide, and trials beyond what the author shows, by the grade that they make.
DECISIVE = ("shown", "seed", "near")
GRADES = {
    "sizes": ("size",),
    "values": ("values", "habit", "layout"),
    "special_values": ("special", "huge"),
}
# Sizes to take in turn; where that is too much work, the next.
PRIMES = ((13, 7, 17, 5, 11, 3, 19), (7, 5, 3, 11), (3, 5, 2, 7), (3, 2))
# How much larger than any shown one a varied case may be: the interpreter is slow.
LARGER = {"interpreter": 2, "cuda": 1 << 20}
SEEDS = {"interpreter": 1, "cuda": 2}
# The elements, of inputs and outputs together, that a varied case may have at least.
MOST = {"interpreter": 1 << 12, "cuda": 1 << 24}
# How many of its sizes are made larger, each by itself.
KEYS = {"interpreter": 2, "cuda": 4}
HEAVY = 1 << 22
# By the group: of each the first that the reference answers with finite numbers counts.
SCALES = {
    "huge values": (1000.0,), "large values": (30.0, 8.0), "small values": (1e-3, 3e-2),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of inputs. `group`: trials of which the first that the reference answers counts."""

    number: int
    name: str
    kind: str
    case: Case
    twist: dict[str, Any] | None = None
    group: str = ""
    modes: tuple[str, ...] = field(default=("first",))
    stands_in: bool = False
    """For a case that is too large: the same with smaller sizes."""

    @property
    def brings_infinity(self) -> bool:
        return self.twist is not None and self.twist.get("value") == "inf"


def shown(cases: Sequence[Case], device: str) -> list[Trial]:
    small = sorted(range(len(cases)), key=lambda number: _work(cases[number]))[:2]
    return [
        Trial(
            number,
            f"case {number}",
            "shown",
            case,
            modes=("first", "second") if device == "cuda" or number in small else ("first",),
        )
        for number, case in enumerate(cases)
    ]


def varied(
    cases: Sequence[Case], fixed: Sequence[str], gaps: Sequence[int], device: str, seed: int,
    first: int | None = None, habits: Sequence[Habit] = (), sizes: Sizes = NO_SIZES,
) -> list[Trial]:  # fmt: skip
    """Return what the cases don't show. `gaps`: the arguments that a case shows with gaps in
    memory; `first`: the number that no shown case has; `habits`: what all inputs have in common;
    `sizes`: what the entry says that its sizes may be."""
    start = len(cases) if first is None else first
    fitting = (
        (name, kind, fitted(case, sizes), twist, group)
        for name, kind, case, twist, group in _varied(cases, fixed, gaps, device, seed, habits)
    )
    made = _unique(fitting, cases)
    modes = ("first", "second") if device == "cuda" else ("first",)
    return [
        Trial(start + place, name, kind, case, twist, group, modes)
        for place, (name, kind, case, twist, group) in enumerate(made)
    ]


def sizes(said: Any) -> Sizes:
    """Read what an entry's process says of SIZES; what is malformed is left out."""
    bounds = ("multiple_of", "min", "max")
    found: dict[str, Any] = {}
    for key, allowed in dict(said).items():
        if isinstance(allowed, list) and allowed and all(type(one) is int for one in allowed):
            found[str(key)] = allowed
        elif isinstance(allowed, dict):
            numbers = {name: allowed[name] for name in bounds if type(allowed.get(name)) is int}
            if numbers.get("multiple_of", 1) > 0:
                found[str(key)] = numbers
    return found


def heavy(case: Case) -> bool:
    """Return whether its inputs may be so large that it pays to ask for their size first."""
    return _work(case) >= HEAVY


def smaller(case: Case, fixed: Sequence[str], sizes: Sizes = NO_SIZES) -> Iterator[Case]:
    """Yield the case with its sizes halved, again and again, as far as they may be varied."""
    keys = _sizes(case, fixed)
    while True:
        half = fitted(_resized(case, keys, lambda size: max(1, size // 2)), sizes)
        if _work(half) >= _work(case):
            return
        case = half
        yield case


def fitted(case: Case, sizes: Sizes) -> Case:
    """Return the case with each size moved to the next one that the entry allows."""
    changed = dict(case)
    for key in sizes.keys() & case.keys():
        changed = _resized(changed, [key], partial(_allowed, allowed=sizes[key]))
    return changed


def _allowed(size: int, allowed: Any) -> int:
    if isinstance(allowed, list):
        return int(min(allowed, key=lambda one: (abs(one - size), one)))
    step = int(allowed.get("multiple_of", 1))
    low, high = int(allowed.get("min", step)), allowed.get("max")
    size = max(low, round(size / step) * step)
    return size if high is None else min(size, int(high) // step * step)


def light(shown: Sequence[tuple[Case, int]], most: int) -> list[Case]:
    """Return the cases to vary, of cases and the bytes of their inputs: the light ones, and of a
    type that has none the lightest. Each is varied in a dozen ways."""
    kept = []
    for case, taken in shown:
        alike = [size for other, size in shown if other.get("dtype") == case.get("dtype")]
        if taken <= max(most, min(alike)):
            kept.append(case)
    return kept


Made = tuple[str, str, Case, dict[str, Any] | None, str]


def _varied(
    cases: Sequence[Case], fixed: Sequence[str], gaps: Sequence[int], device: str, seed: int,
    habits: Sequence[Habit],
) -> Iterator[Made]:  # fmt: skip
    bases = _bases(cases, fixed)
    most = LARGER[device] * max(_work(case, fixed) for case in cases)
    for base in bases:
        yield from _seeds(base, seed, SEEDS[device] if base is bases[0] else 1)
        keys = _sizes(base, fixed)
        primes = [_resized(base, keys, _flow(numbers)) for numbers in PRIMES]
        yield "primes", "size", _first_within(most, primes, fixed), None, ""
        if base is bases[0] or device == "cuda":
            odd = [_resized(base, keys, more) for more in (_odd_and_larger, _odd_and_smaller)]
            yield "odd sizes", "size", _first_within(most, odd, fixed), None, ""
    # Of several blocks, the last of them not full.
    largest = max(cases, key=lambda case: _work(case, fixed))
    uneven = _resized(largest, _sizes(largest, fixed), _odd_and_smaller)
    yield "largest, made odd", "size", uneven, None, ""
    for made in _sizes_apart(bases[0], _sizes(bases[0], fixed), device):
        if _work(made[2], fixed) <= most:
            yield made
    yield from _values(bases[0])
    for habit in habits:
        twist = {"kind": "habit", **habit, "seed": seed}
        name = f"argument {habit['argument'] + 1} not {habit['habit']}"
        yield name, "habit", max(bases, key=_work), twist, ""
    if gaps:
        twist = {"kind": "spread", "arguments": list(gaps)}
        yield "wider gaps", "layout", bases[0], twist, ""
    yield "transposed in memory", "limit", bases[0], {"kind": "transposed"}, ""


def _sizes_apart(base: Case, keys: Sequence[str], device: str) -> Iterator[Made]:
    yield "sizes of 1", "size", _resized(base, keys, lambda _: 1), None, ""
    if device == "cuda":
        # What Triton compiles anew for: a multiple of 16, and 1.
        yield "sizes of 32", "size", _resized(base, keys, lambda _: 32), None, ""
        for key in keys[:4]:
            yield f"{key} of 1", "size", _resized(base, [key], lambda _: 1), None, ""
    for key in keys[: KEYS[device]]:
        larger = _resized(base, [key], lambda size: 2 * size + 3)
        yield f"larger {key}", "size", larger, None, ""
        # Divisible by all that the shown size is divisible by.
        yield f"twice {key}", "near", _resized(base, [key], lambda size: 2 * size), None, ""


def _first_within(most: int, made: Sequence[Case], fixed: Sequence[str]) -> Case:
    return next((case for case in made if _work(case, fixed) <= most), made[-1])


def _odd_and_larger(size: int) -> int:
    return (size | 1) + 2


def _odd_and_smaller(size: int) -> int:
    return max(1, (size | 1) - 2)


def _values(base: Case) -> Iterator[Made]:
    for group, scales in SCALES.items():
        kind = "huge" if group == "huge values" else "values"
        for by in scales:
            yield f"{group} (times {by:g})", kind, base, {"kind": "scaled", "by": by}, group
    yield "zeros", "values", base, {"kind": "scaled", "by": 0.0}, ""
    # With its sign set, as an x86 processor makes it: a sort by bits takes it for the least.
    for value, name in (("-nan", "NaN"), ("inf", "infinity")):
        twist = {"kind": "special", "value": value}
        yield f"{name} among the values", "special", base, twist, ""


def _seeds(base: Case, seed: int, count: int) -> Iterator[Made]:
    for step in range(1, count + 1):
        if type(base.get("seed")) is int:
            yield f"another seed ({step})", "seed", {**base, "seed": seed + step}, None, ""
        else:
            twist = {"kind": "shuffled", "seed": seed + step}
            yield f"shuffled values ({step})", "seed", base, twist, ""


def _bases(cases: Sequence[Case], fixed: Sequence[str]) -> list[Case]:
    """One case for each type, of middling size; that of the first case's type first."""
    by_type: dict[str, list[Case]] = {}
    for case in cases:
        by_type.setdefault(json.dumps(case.get("dtype")), []).append(case)
    bases = []
    for alike in by_type.values():
        whole = [case for case in alike if _work(case, fixed)] or alike
        bases.append(sorted(whole, key=lambda case: _work(case, fixed))[(len(whole) - 1) // 2])
    return bases[:4]


def _sizes(case: Case, fixed: Sequence[str]) -> list[str]:
    return [
        key
        for key, value in case.items()
        if key not in RESERVED and key not in fixed and _is_size(value)
    ]


def _is_size(value: Any) -> bool:
    if type(value) is int:
        return value >= 0
    parts = _parts(value)
    return bool(parts) and all(type(part) is int and part >= 0 for part in parts)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("tuple"), list):
        return list(value["tuple"])
    return list(value) if isinstance(value, list) else []


def _resized(case: Case, keys: Sequence[str], size: Any) -> Case:
    changed = dict(case)
    for key in keys:
        value = case[key]
        if type(value) is int:
            changed[key] = size(value)
        else:
            parts = [size(part) for part in _parts(value)]
            changed[key] = {"tuple": parts} if isinstance(value, dict) else parts
    return changed


def _flow(numbers: Sequence[int]) -> Any:
    place = iter(range(10**9))
    return lambda _: numbers[next(place) % len(numbers)]


def _work(case: Case, fixed: Sequence[str] = ()) -> int:
    sizes = [
        math.prod(_parts(value)) if not isinstance(value, int) else value
        for key, value in case.items()
        if key not in RESERVED and key not in fixed and _is_size(value)
    ]
    return math.prod(sizes)


def _unique(made: Iterator[Made], cases: Sequence[Case]) -> Iterator[Made]:
    seen = {json.dumps([case, None], sort_keys=True) for case in cases}
    for trial in made:
        key = json.dumps([trial[2], trial[3]], sort_keys=True)
        if key not in seen:
            seen.add(key)
            yield trial
