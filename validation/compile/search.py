"""Search for a signature that compiles, guided by the compiler's errors."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from validation.compile.compiler_errors import Complaint, hint, is_of_the_language
from validation.compile.guess import (
    Constant,
    Guess,
    Guessed,
    Hint,
    elements,
    first_guess,
    flags,
    others,
    quarter,
)
from validation.compile.value_sources import Path, PathUses

ATTEMPTS = 45
# Maximum number of guesses to derive from one error.
BREADTH = 24


class TooSlow(BaseException):
    """An attempt took too long. Not a subclass of Exception, because Triton would catch that."""


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a search: a guess that compiles, or the error to report."""

    guess: Guess | None
    attempts: int
    flips: int = 0
    complaint: Complaint | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    guess: Guess
    flips: int
    complaint: Complaint | None


def search(
    attempt: Callable[[Guess], Complaint | None],
    parameters: list[Guessed],
    reading: PathUses,
    tuning: Mapping[str, Constant],
) -> Found:
    """Search for a guess that compiles.

    `attempt` compiles a guess to TTIR and returns its error or None. The guess whose error comes
    latest in the kernel is corrected first. A result without guess or error is a timeout.
    """
    seen: set[str] = set()
    open_: list[tuple[Any, int, int, Iterator[Guess]]] = []
    furthest: Complaint | None = None
    by_name = {parameter.name: parameter for parameter in parameters}

    def tried(guesses: Iterator[Guess], flips: int) -> Tried | None:
        """Try the next new guess."""
        for guess in guesses:
            if guess.key() not in seen:
                seen.add(guess.key())
                try:
                    return Tried(guess, flips, attempt(guess))
                except TooSlow:
                    smaller = quarter(guess)
                    seen.add(smaller.key())
                    with suppress(TooSlow):
                        return Tried(smaller, flips + 1, attempt(smaller))
        return None

    def learn(trial: Tried) -> None:
        nonlocal furthest
        complaint = trial.complaint
        assert complaint is not None  # noqa: S101 - what compiles ends the search
        if furthest is None or complaint.reached > furthest.reached:
            furthest = complaint
        if not is_of_the_language(complaint):
            near = _near(trial.guess, complaint, by_name, reading)
            order = tuple((-line, -column) for line, column in complaint.reached)
            heappush(open_, (order, trial.flips, len(seen), near))

    starts = _starts(parameters, reading, tuning)
    while (trial := tried(starts, 0)) is not None:
        if trial.complaint is None:
            return Found(trial.guess, len(seen), trial.flips)
        learn(trial)
    while open_ and len(seen) < ATTEMPTS:
        _, flips, _, near = open_[0]
        trial = tried(near, flips + 1)
        if trial is None:
            heappop(open_)
        elif trial.complaint is None:
            return Found(trial.guess, len(seen), trial.flips)
        else:
            learn(trial)
    return Found(None, len(seen), complaint=furthest)


def _starts(
    parameters: list[Guessed], reading: PathUses, tuning: Mapping[str, Constant]
) -> Iterator[Guess]:
    """Yield the guess from the uses, then variants: booleans set, no tuned values, other floats."""
    first = first_guess(parameters, reading, tuning)
    yield first
    yield flags(first, value=True)
    yield flags(first, value=False)
    untuned = first_guess(parameters, reading, {})
    yield untuned
    yield flags(untuned, value=False)
    for new in ("fp32", "fp16"):
        yield elements(flags(untuned, value=False), ("fp32", "fp16"), new)


def _near(
    guess: Guess,
    complaint: Complaint,
    parameters: Mapping[str, Guessed],
    reading: PathUses,
) -> Iterator[Guess]:
    kind = hint(complaint)
    count = 0
    if kind in (Hint.SMALLER, Hint.LARGER):
        yield quarter(guess) if kind is Hint.SMALLER else guess
    if re.search(r"same dtype|got (?:fp|bf|float)|Both operands", complaint.message):
        for new in ("fp16", "fp32", "bf16"):
            yield elements(guess, ("fp32", "fp16", "bf16"), new)
    iterators = [
        others(guess, path, kind, parameters, reading) for path in _suspects(complaint, reading)
    ]
    # Alternate between suspects, because the likeliest guesses for each suspect come first.
    while iterators and count < BREADTH:
        for iterator in list(iterators):
            new_guess = next(iterator, None)
            if new_guess is None:
                iterators.remove(iterator)
                continue
            count += 1
            yield new_guess


def _suspects(complaint: Complaint, reading: PathUses) -> list[Path]:
    """Return the paths in the expressions that an error refers to, innermost first."""
    suspects: dict[Path, None] = {}
    for place in complaint.places:
        suspects.update(dict.fromkeys(reading.places.get(place, ())))
        for inner, paths in reading.places.items():
            if _inside(inner, place):
                suspects.update(dict.fromkeys(paths))
    return list(suspects)


def _inside(inner: tuple[str, int, int, int, int], outer: tuple[str, int, int, int, int]) -> bool:
    return (
        inner[0] == outer[0]
        and (outer[1], outer[2]) <= (inner[1], inner[2])
        and (inner[3], inner[4]) <= (outer[3], outer[4])
    )
