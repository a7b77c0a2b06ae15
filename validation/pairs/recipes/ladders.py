"""Optimization ladders: one Python side and test, and a Triton side (rung) for each step."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from validation.pairs.recipes.blocks import chain_of
from validation.pairs.recipes.catalog import TABLES, axis_of, read_table
from validation.pairs.recipes.recipe import evaluated, sketched
from validation.pairs.recipes.rendering import RenderedTexts, rendered, rendered_triton
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.styles import Style


@dataclass(frozen=True, slots=True)
class Rung:
    name: str
    """A noun phrase that names the step, without its number."""
    tags: tuple[str, ...]
    note: str
    """The sentence that opens the Triton side: the change, and the reason for its speed."""

    @property
    def slug(self) -> str:
        return self.name.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Ladder:
    recipe: str
    sketch: Sketch
    """The Python side, the test, and the values of the Triton side's template."""
    rungs: tuple[Rung, ...]
    """From slow to fast, as the author expects."""

    @property
    def name(self) -> str:
        return self.sketch.slug


def rendered_rung(
    ladder: Ladder, rung: Rung, environment: Environment | None = None
) -> RenderedTexts:
    """Render the three texts of a rung. Only the Triton text differs between rungs."""
    # A rung determines its own tuning, and all rungs share the other decisions.
    draw = random.Random(ladder.name)  # noqa: S311 - to be repeated, not to be secret
    style = Style(typed=draw.random() < 0.35)
    triton = rendered_triton(ladder.sketch, style, environment, step=rung.name, note=rung.note)
    return rendered(ladder.sketch, style, triton, environment)


def _ladders() -> Iterator[Ladder]:
    for name, entry in read_table(TABLES / "ladders.toml", "ladders").items():
        header, *cases = entry["cases"]
        reductions = {str(choice): choice for choice in axis_of(entry.get("reductions", ()))}
        for case in cases:
            values: dict[str, Any] = dict(zip(header, axis_of(case), strict=True))
            for word in {"chain", "after"} & values.keys():
                values[word] = chain_of(*values[word].split())
            if reductions:
                values["reduction"] = reductions[values["reduction"]]
            rungs = tuple(
                Rung(rung, tuple(filter(None, tags.split(", "))), note)
                for rung, tags, when, note in entry["rungs"]
                if evaluated(when, values)
            )
            if sketch := sketched(entry, values):
                yield Ladder(name, sketch, rungs)


LADDERS: tuple[Ladder, ...] = tuple(_ladders())
