"""A function for which Inductor can generate code, at one data type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from curation.pairs.draft import OURS, Source
from validation.pairs.recipes.rendering import rendered_python, rendered_test
from validation.pairs.recipes.sketch import Sketch


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    entry_point: str
    python_code: str
    test_code: str
    dtype: str | None
    """None: the test names no types."""
    operation_type: str
    slug: str
    split_group: str
    tags: tuple[str, ...] = ()
    source: Source = OURS


def of_modules(
    modules: tuple[Sketch, ...], source: Source = OURS, model: str = ""
) -> Iterator[Offer]:
    """Yield an offer for each module and data type. `model`: the name of the model of the parts."""
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
    """Return the offers reordered: a prefix has every operation type, and each function in one data
    type before it has a second one."""
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
    """Return the data types in the test's cases, without repetition, in order."""
    return tuple(dict.fromkeys(_TYPE.findall(test_code))) or (None,)


_TYPE = re.compile(r'"dtype": "(\w+)"')
