"""Whole models go to the sandbox, and come back as functions for Inductor to write for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from validation.inductor.offer import Offer, of_modules
from validation.inductor.whole.describing import described
from validation.inductor.whole.sources import Whole
from validation.recipes.sketch import Sketch
from validation.sandbox import readable
from validation.workers import Said, Workers

WORKER = "validation.inductor.worker"
# Of one processor, for one model or one file of them.
SECONDS = 600.0
REASON_MOST = 500


@dataclass(frozen=True, slots=True)
class Split:
    """What became of one model."""

    name: str
    groups: int = 0
    offers: tuple[Offer, ...] = ()
    """Those that no model before gave."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why groups were left out, each by how many."""
    trouble: str = ""
    """Why there is nothing of it."""


@contextmanager
def splitter(parallel: int | None = None) -> Iterator[Workers]:
    with Workers(WORKER, seconds=SECONDS, parallel=parallel) as workers:
        yield workers


def split(
    wholes: Sequence[Whole], workers: Workers, beat: Callable[[], None] = lambda: None
) -> Iterator[Split]:
    """In the order given, whichever is done first: who gave a part first is then no accident."""
    questions = (
        {"key": number, "kind": whole.kind, "name": whole.name, "text": whole.text}
        for number, whole in enumerate(wholes)
    )
    said = {question["key"]: said for question, said in workers.ask(questions, beat)}
    known: set[object] = set()
    for number, whole in enumerate(wholes):
        yield from read_splits(whole, said[number], known)


def read_splits(whole: Whole, said: Said, known: set[object]) -> list[Split]:
    """Adds to `known` what the answer has, if all of it can be read."""
    if said.trouble:
        return [Split(whole.name, trouble=said.trouble)]
    try:
        if "reason" in said.answer:
            return [Split(whole.name, trouble=_words(said.answer["reason"]))]
        with_these = set(known)
        models = said.answer["models"]
        splits = [_model(whole, _words(name), told, with_these) for name, told in models]
    except Exception:  # noqa: BLE001 - hostile code could answer anything, and costs its own model
        return [Split(whole.name, trouble="its answer can't be read")]
    known |= with_these
    return splits


def _model(whole: Whole, name: str, told: Mapping[str, Any], known: set[object]) -> Split:
    if "reason" in told:
        return Split(name, trouble=_words(told["reason"]))
    sketches = []
    for part in told["made"]:
        sketch = described(part, name)
        if (same := _but_for_its_words(sketch)) not in known:
            known.add(same)
            sketches.append(sketch)
    reasons = Counter({_words(reason): int(count) for reason, count in told["reasons"].items()})
    offers = tuple(of_modules(tuple(sketches), whole.source))
    return Split(name, int(told["groups"]), offers, reasons)


def _words(said: object) -> str:
    return readable(str(said), REASON_MOST)


def _but_for_its_words(sketch: Sketch) -> object:
    return sketch.python, sketch.arguments
