"""Generation of pairs from functions by Inductor. Each failure has a reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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
_TYPE = re.compile(r'"dtype": "(\w+)"')


@dataclass(frozen=True, slots=True)
class Offer:
    """A function for which Inductor can generate code, with one data type."""

    draft: PairDraft
    """The pair without its Triton text."""
    dtype: str | None
    """Data type of the test's cases, or None if the test names no types."""


def of_modules(
    modules: Iterable[Sketch], source: Source = OURS, model: str = ""
) -> Iterator[Offer]:
    """Yield an offer for each module and data type. `model`: the model of which they are parts."""
    for module in modules:
        for dtype in module.dtypes:
            draft = PairDraft(
                entry_point=module.entry_point,
                python_code=rendered_python(module),
                triton_code="",
                test_code=rendered_test(module),
                origin="inductor",
                operation_type=module.operation_type,
                difficulty="",
                source=source,
                slug="-".join(filter(None, ("inductor", model, module.slug, dtype))),
                tags=module.tags,
                split_group=f"inductor:{module.entry_point}",
            )
            yield Offer(draft, dtype)


def in_turns(offers: Iterable[Offer]) -> list[Offer]:
    """Return the offers reordered, so that the first ones are varied: operation types alternate,
    and each function appears once before any appears with a second data type."""
    functions = Counter[str]()
    kinds = Counter[tuple[int, str]]()

    def turn(offer: Offer) -> tuple[int, int]:
        functions[offer.draft.entry_point] += 1
        kind = functions[offer.draft.entry_point], offer.draft.operation_type
        kinds[kind] += 1
        return kind[0], kinds[kind]

    return sorted(offers, key=turn)


def types_named(test_code: str) -> tuple[str | None, ...]:
    """Return the data types in the test's cases, each once, in order. None if there are none."""
    return tuple(dict.fromkeys(_TYPE.findall(test_code))) or (None,)


def inductor(parallel: int | None = None, seconds: float | None = None) -> Workers:
    return Workers(WORKER, seconds=seconds or SECONDS, parallel=parallel)


def reason_text(reason: object) -> str:
    return readable(str(reason), REASON_MOST)


def generate(offers: Iterable[Offer], workers: Workers) -> Iterator[tuple[Offer, PairDraft | str]]:
    """Yield each offer with its pair or the reason of its failure, in order of completion."""
    all_offers = list(offers)
    questions = (
        {
            "key": number,
            "entry_point": offer.draft.entry_point,
            "python_code": offer.draft.python_code,
            "test_code": offer.draft.test_code,
            "dtype": offer.dtype,
        }
        for number, offer in enumerate(all_offers)
    )
    for question, reply in workers.ask(questions):
        offer = all_offers[question["key"]]
        yield offer, came_of(offer.draft, reply)


def came_of(draft: PairDraft, reply: Reply) -> PairDraft | str:
    """Return the draft with its Triton text, or a sentence that says why Inductor gave no pair."""
    if reply.trouble:
        return reply.trouble
    try:
        if "reason" in reply.answer:
            return reason_text(reply.answer["reason"])
        triton = triton_code(draft.python_code, draft.entry_point, reply.answer)
        return replace(
            draft,
            triton_code=triton,
            test_code=test_code(draft.test_code, reply.answer["cases"]),
            difficulty=pair_difficulty(triton, draft.operation_type),
        )
    except Unwritable as why:
        return reason_text(why)
    except Exception:  # noqa: BLE001 - hostile code could answer anything, and costs its own offer
        return "its answer can't be read"
