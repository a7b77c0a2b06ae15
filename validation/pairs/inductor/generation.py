"""Generation of pairs from functions by Inductor. Each failure has a reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from curation.kinds.difficulty import pair_difficulty
from curation.pairs.draft import OURS, PairDraft, Source
from validation.harness.pool.questions import Reply, Workers
from validation.harness.sandbox import readable
from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.pair_texts import test_code, triton_code
from validation.pairs.recipes.rendering import rendered_python, rendered_test
from validation.pairs.recipes.sketch import Sketch

WORKER = "validation.pairs.inductor.worker"
# Maximum CPU seconds for one function.
SECONDS = 60.0
REASON_MOST = 500
# Fields of an offer that are sent to the sandbox.
ASKED = ("entry_point", "python_code", "test_code", "dtype")
_TYPE = re.compile(r'"dtype": "(\w+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A function for which Inductor can generate code, with one data type."""

    entry_point: str
    python_code: str
    test_code: str
    dtype: str | None
    """Data type of the test's cases, or None if the test names no types."""
    operation_type: str
    slug: str
    split_group: str
    tags: tuple[str, ...] = ()
    source: Source = OURS


def of_modules(
    modules: tuple[Sketch, ...], source: Source = OURS, model: str = ""
) -> Iterator[Offer]:
    """Yield an offer for each module and data type. `model`: the model of which they are parts."""
    prefix = f"inductor-{model}" if model else "inductor"
    for module in modules:
        python, test = rendered_python(module), rendered_test(module)
        for dtype in module.dtypes:
            yield Offer(
                entry_point=module.entry_point,
                python_code=python,
                test_code=test,
                dtype=dtype,
                operation_type=module.operation_type,
                slug=f"{prefix}-{module.slug}-{dtype}",
                split_group=f"inductor:{module.entry_point}",
                tags=module.tags,
                source=source,
            )


def in_turns(offers: Iterable[Offer]) -> list[Offer]:
    """Return the offers reordered, so that the first ones are varied: operation types alternate,
    and each function appears once before any appears with a second data type."""
    rounds = Counter[str]()
    of_kind = Counter[tuple[int, str]]()
    placed: list[tuple[int, int, int, Offer]] = []
    for offer in offers:
        turn = rounds[offer.entry_point]
        rounds[offer.entry_point] += 1
        place = of_kind[turn, offer.operation_type]
        of_kind[turn, offer.operation_type] += 1
        placed.append((turn, place, len(placed), offer))
    return [offer for *_, offer in sorted(placed, key=lambda one: one[:3])]


def types_named(test_code: str) -> tuple[str | None, ...]:
    """Return the data types in the test's cases, each once, in order. None if there are none."""
    return tuple(dict.fromkeys(_TYPE.findall(test_code))) or (None,)


def inductor(parallel: int | None = None, seconds: float | None = None) -> Workers:
    return Workers(WORKER, seconds=seconds or SECONDS, parallel=parallel)


def reason_text(reason: object) -> str:
    return readable(str(reason), REASON_MOST)


def generate(
    offers: Iterable[Offer], workers: Workers, beat: Callable[[], None] = lambda: None
) -> Iterator[tuple[Offer, PairDraft | str]]:
    """Yield each offer with its pair or the reason of its failure, in order of completion."""
    all_offers = list(offers)
    questions = (
        {"key": number, **{name: getattr(offer, name) for name in ASKED}}
        for number, offer in enumerate(all_offers)
    )
    for question, reply in workers.ask(questions, beat):
        offer = all_offers[question["key"]]
        yield offer, came_of(offer, reply)


def came_of(offer: Offer, reply: Reply) -> PairDraft | str:
    if reply.trouble:
        return reply.trouble
    try:
        if "reason" in reply.answer:
            return reason_text(reply.answer["reason"])
        return _draft(offer, reply.answer)
    except Unwritable as why:
        return reason_text(why)
    except Exception:  # noqa: BLE001 - hostile code could answer anything, and costs its own offer
        return "its answer can't be read"


def _draft(offer: Offer, traced: dict[str, Any]) -> PairDraft:
    triton = triton_code(offer.python_code, offer.entry_point, traced)
    return PairDraft(
        entry_point=offer.entry_point,
        python_code=offer.python_code,
        triton_code=triton,
        test_code=test_code(offer.test_code, traced["cases"]),
        origin="inductor",
        operation_type=offer.operation_type,
        difficulty=pair_difficulty(triton, offer.operation_type),
        source=offer.source,
        slug=offer.slug,
        tags=offer.tags,
        split_group=offer.split_group,
    )
