"""Which inputs an entry is tried on: its own cases, and what they don't show.

A case is JSON here (types and tuples are marked, see `inside/values.py`): nothing of the entry's
is an object on this side.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Case = dict[str, Any]

RESERVED = ("seed", "dtype")
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
SCALES = (1000.0, 30.0, 1e-3, 3e-2)


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of inputs. `group`: trials of which the first that the reference answers counts."""

    number: int
    name: str
    kind: str
    case: Case
    twist: dict[str, Any] | None = None
    group: str = ""
    modes: tuple[str, ...] = field(default=("veiled",))
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
            modes=("veiled", "plain") if device == "cuda" or number in small else ("veiled",),
        )
        for number, case in enumerate(cases)
    ]


def varied(
    cases: Sequence[Case], fixed: Sequence[str], gaps: Sequence[int], device: str, seed: int,
    first: int | None = None,
) -> list[Trial]:  # fmt: skip
    """What the cases don't show. `gaps`: the arguments that a case shows with gaps in memory;
    `first`: the number that no shown case has."""
    start = len(cases) if first is None else first
    made = _unique(_varied(cases, fixed, gaps, device, seed), cases)
    modes = ("veiled", "plain") if device == "cuda" else ("veiled",)
    return [
        Trial(start + place, name, kind, case, twist, group, modes)
        for place, (name, kind, case, twist, group) in enumerate(made)
    ]


def heavy(case: Case) -> bool:
    """Whether its inputs may be so large that it pays to ask for their size first."""
    return _work(case) >= HEAVY


def smaller(case: Case, fixed: Sequence[str]) -> Iterator[Case]:
    """The case with its sizes halved, again and again, as far as they may be varied."""
    keys = _sizes(case, fixed)
    while (half := _resized(case, keys, lambda size: max(1, size // 2))) != case:
        case = half
        yield case


def light(shown: Sequence[tuple[Case, int]], most: int) -> list[Case]:
    """The cases to vary, of cases and the bytes of their inputs: the light ones, and of a type
    that has none the lightest. Each is varied in a dozen ways."""
    kept = []
    for case, taken in shown:
        alike = [size for other, size in shown if other.get("dtype") == case.get("dtype")]
        if taken <= max(most, min(alike)):
            kept.append(case)
    return kept


Made = tuple[str, str, Case, dict[str, Any] | None, str]


def _varied(
    cases: Sequence[Case], fixed: Sequence[str], gaps: Sequence[int], device: str, seed: int
) -> Iterator[Made]:
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


def _first_within(most: int, made: Sequence[Case], fixed: Sequence[str]) -> Case:
    return next((case for case in made if _work(case, fixed) <= most), made[-1])


def _odd_and_larger(size: int) -> int:
    return (size | 1) + 2


def _odd_and_smaller(size: int) -> int:
    return max(1, (size | 1) - 2)


def _values(base: Case) -> Iterator[Made]:
    for by in SCALES:
        group = "large values" if by > 1 else "small values"
        yield f"{group} (times {by:g})", "values", base, {"kind": "scaled", "by": by}, group
    yield "zeros", "values", base, {"kind": "scaled", "by": 0.0}, ""
    # With its sign set, as an x86 processor makes it: whoever sorts by bits takes it for the least.
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
