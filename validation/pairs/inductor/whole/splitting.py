"""Split of models in the sandbox, into functions for Inductor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from validation.harness.pool.questions import Reply, Workers
from validation.harness.sandbox import readable
from validation.pairs.inductor.offer import Offer, of_modules
from validation.pairs.inductor.whole.describing import described
from validation.pairs.inductor.whole.model_sources import Whole
from validation.pairs.recipes.sketch import Sketch

WORKER = "validation.pairs.inductor.worker"
# CPU seconds for one model or one file of models.
SECONDS = 600.0
REASON_MOST = 500
NO_WORD = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class SplitModel:
    """Parts of one model, or the reason of its failure."""

    name: str
    groups: int = 0
    offers: tuple[Offer, ...] = ()
    """Parts that no earlier model had."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Number of dropped groups, by reason."""
    trouble: str = ""
    """Reason why there is no result."""


@contextmanager
def splitter(parallel: int | None = None) -> Iterator[Workers]:
    with Workers(WORKER, seconds=SECONDS, parallel=parallel) as workers:
        yield workers


def split(
    wholes: Sequence[Whole], workers: Workers, beat: Callable[[], None] = lambda: None
) -> Iterator[SplitModel]:
    """Yield results in the given order: which model is credited with a part must not depend on
    timing."""
    questions = (
        {"key": number, "kind": whole.kind, "name": whole.name, "text": whole.text}
        for number, whole in enumerate(wholes)
    )
    replies = {question["key"]: reply for question, reply in workers.ask(questions, beat)}
    known: set[object] = set()
    for number, whole in enumerate(wholes):
        yield from read_splits(whole, replies[number], known)


def read_splits(whole: Whole, reply: Reply, known_sketches: set[object]) -> list[SplitModel]:
    """Parse a reply. If all of it is valid, add its sketches to `known_sketches`."""
    if reply.trouble:
        return [SplitModel(whole.name, trouble=reply.trouble)]
    try:
        if "reason" in reply.answer:
            return [SplitModel(whole.name, trouble=_words(reply.answer["reason"]))]
        merged = set(known_sketches)
        models = reply.answer["models"]
        splits = [_model(whole, _words(name), record, merged) for name, record in models]
    except Exception:  # noqa: BLE001 - hostile code could answer anything, and costs its own model
        return [SplitModel(whole.name, trouble="its answer can't be read")]
    known_sketches |= merged
    return splits


def _model(
    whole: Whole, name: str, record: Mapping[str, Any], known_sketches: set[object]
) -> SplitModel:
    if "reason" in record:
        return SplitModel(name, trouble=_words(record["reason"]))
    sketches = []
    for part in record["made"]:
        sketch = described(part, name)
        if (same := _but_for_its_words(sketch)) not in known_sketches:
            known_sketches.add(same)
            sketches.append(sketch)
    reasons = Counter({_words(reason): int(count) for reason, count in record["reasons"].items()})
    offers = tuple(of_modules(tuple(sketches), whole.source, NO_WORD.sub("-", name).strip("-")))
    return SplitModel(name, int(record["groups"]), offers, reasons)


def _words(value: object) -> str:
    return readable(str(value), REASON_MOST)


def _but_for_its_words(sketch: Sketch) -> object:
    return sketch.python, sketch.arguments
