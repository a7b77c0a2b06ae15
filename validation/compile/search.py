"""Looks for a signature that compiles, led by what the compiler says about the ones before."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from validation.compile.errors import Complaint, hint, is_of_the_language
from validation.compile.guess import (
    Constant,
    Guess,
    Hint,
    Parameter,
    elements,
    first_guess,
    flags,
    others,
    quarter,
)
from validation.compile.values import Path, Reading

ATTEMPTS = 45
# Guesses that one complaint may lead to.
BREADTH = 24


class TooSlow(BaseException):
    """An attempt took longer than it may. No Exception: Triton would take it for its own."""


@dataclass(frozen=True, slots=True)
class Found:
    """How a search ended: with a guess that compiles, or with the complaint to show for it."""

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
    parameters: list[Parameter],
    reading: Reading,
    known: Mapping[str, Constant],
) -> Found:
    """`attempt` compiles a guess to TTIR, and says what is wrong with it or None.

    What got furthest is corrected first. A search without a complaint ended by its slowness.
    """
    seen: set[str] = set()
    open_: list[tuple[Any, int, int, Iterator[Guess]]] = []
    furthest: Complaint | None = None
    by_name = {parameter.name: parameter for parameter in parameters}

    def tried(guesses: Iterator[Guess], flips: int) -> Tried | None:
        """The next one of some guesses that is new."""
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

    def learn(done: Tried) -> None:
        nonlocal furthest
        complaint = done.complaint
        assert complaint is not None  # noqa: S101 - what compiles ends the search
        if furthest is None or complaint.reached > furthest.reached:
            furthest = complaint
        if not is_of_the_language(complaint):
            near = _near(done.guess, complaint, by_name, reading)
            order = tuple((-line, -column) for line, column in complaint.reached)
            heappush(open_, (order, done.flips, len(seen), near))

    starts = _starts(parameters, reading, known)
    while (done := tried(starts, 0)) is not None:
        if done.complaint is None:
            return Found(done.guess, len(seen), done.flips)
        learn(done)
    while open_ and len(seen) < ATTEMPTS:
        _, flips, _, near = open_[0]
        done = tried(near, flips + 1)
        if done is None:
            heappop(open_)
        elif done.complaint is None:
            return Found(done.guess, len(seen), done.flips)
        else:
            learn(done)
    return Found(None, len(seen), complaint=furthest)


def _starts(
    parameters: list[Parameter], reading: Reading, known: Mapping[str, Constant]
) -> Iterator[Guess]:
    """As the uses say; with all switches on, then off; without the sizes of its own tuning."""
    first = first_guess(parameters, reading, known)
    yield first
    yield flags(first, value=True)
    yield flags(first, value=False)
    own = first_guess(parameters, reading, {})
    yield own
    yield flags(own, value=False)
    for new in ("fp32", "fp16"):
        yield elements(flags(own, value=False), ("fp32", "fp16"), new)


def _near(
    guess: Guess, complaint: Complaint, parameters: Mapping[str, Parameter], reading: Reading
) -> Iterator[Guess]:
    wanted = hint(complaint)
    count = 0
    if wanted in (Hint.SMALLER, Hint.LARGER):
        yield quarter(guess) if wanted is Hint.SMALLER else guess
    if re.search(r"same dtype|got (?:fp|bf|float)|Both operands", complaint.message):
        for new in ("fp16", "fp32", "bf16"):
            yield elements(guess, ("fp32", "fp16", "bf16"), new)
    iterators = [
        others(guess, path, wanted, parameters, reading) for path in _suspects(complaint, reading)
    ]
    # The likeliest of each suspect before the second likeliest of any.
    while iterators and count < BREADTH:
        for iterator in list(iterators):
            new_guess = next(iterator, None)
            if new_guess is None:
                iterators.remove(iterator)
                continue
            count += 1
            yield new_guess


def _suspects(complaint: Complaint, reading: Reading) -> list[Path]:
    """The paths in the expressions that a complaint names, the innermost first."""
    found: dict[Path, None] = {}
    for place in complaint.places:
        found.update(dict.fromkeys(reading.places.get(place, ())))
        for inner, paths in reading.places.items():
            if _inside(inner, place):
                found.update(dict.fromkeys(paths))
    return list(found)


def _inside(inner: tuple[str, int, int, int, int], outer: tuple[str, int, int, int, int]) -> bool:
    return (
        inner[0] == outer[0]
        and (outer[1], outer[2]) <= (inner[1], inner[2])
        and (inner[3], inner[4]) <= (outer[3], outer[4])
    )
