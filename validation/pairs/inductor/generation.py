"""Generation of pairs from offers by Inductor, with a reason for each failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from curation.kinds.difficulty import pair_difficulty
from curation.pairs.draft import PairDraft
from validation.harness.pool.questions import Reply, Workers
from validation.harness.sandbox import readable
from validation.pairs.inductor.offer import Offer
from validation.pairs.inductor.pair_texts import test_code, triton_code
from validation.pairs.inductor.unwritable import Unwritable

WORKER = "validation.pairs.inductor.worker"
# CPU seconds for one function.
SECONDS = 60.0
REASON_MOST = 500


@contextmanager
def inductor(parallel: int | None = None) -> Iterator[Workers]:
    with Workers(WORKER, seconds=SECONDS, parallel=parallel) as workers:
        yield workers


def generate(
    offers: Iterable[Offer], workers: Workers, beat: Callable[[], None] = lambda: None
) -> Iterator[tuple[Offer, PairDraft | str]]:
    """Yield each offer with its pair or the reason of its failure, in order of completion."""
    all_offers = list(offers)
    questions = (_question(number, offer) for number, offer in enumerate(all_offers))
    for question, reply in workers.ask(questions, beat):
        offer = all_offers[question["key"]]
        yield offer, came_of(offer, reply)


def _question(number: int, offer: Offer) -> dict[str, Any]:
    return {
        "key": number,
        "entry_point": offer.entry_point,
        "python_code": offer.python_code,
        "test_code": offer.test_code,
        "dtype": offer.dtype,
    }


def came_of(offer: Offer, reply: Reply) -> PairDraft | str:
    if reply.trouble:
        return reply.trouble
    try:
        if "reason" in reply.answer:
            return readable(str(reply.answer["reason"]), REASON_MOST)
        return _draft(offer, reply.answer)
    except Unwritable as why:
        return readable(str(why), REASON_MOST)
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
