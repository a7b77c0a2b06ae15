"""Optimization ladders: one Python text and test, and a Triton text for each step (rung).

A ladder is a table entry like a recipe, but each axis has one value. A rung has other values for
some axes, or the kernel of another recipe for the same function.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from validation.pairs.recipes.blocks import chain_of
from validation.pairs.recipes.catalog import ENTRIES, TABLES, axis_of, read_table
from validation.pairs.recipes.recipe import evaluated, size_rows, sketched, values_of
from validation.pairs.recipes.rendering import RenderedTexts, rendered, rendered_triton
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.styles import Style

STYLED = frozenset(field.name for field in fields(Style))


@dataclass(frozen=True, slots=True)
class Rung:
    name: str
    """A noun phrase that names the rung, without its number."""
    tags: tuple[str, ...]
    note: str
    """The sentence that opens the Triton text: what changes, and why that is faster."""
    triton: str
    """The template of the Triton text."""
    style: Style
    values: Mapping[str, Any]

    @property
    def slug(self) -> str:
        return self.name.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Ladder:
    recipe: str
    sketch: Sketch
    """The sketch of the Python text and the test."""
    rungs: tuple[Rung, ...]
    """The rungs in the order that the author expects: from slow to fast."""

    @property
    def name(self) -> str:
        return self.sketch.slug


def rendered_rung(ladder: Ladder, rung: Rung) -> RenderedTexts:
    """Render the three texts of a rung. Only the Triton text differs between the rungs."""
    # All rungs draw the same style, so that their Python texts are equal.
    draw = random.Random(ladder.name)  # noqa: S311 - to be repeated, not to be secret
    sketch = replace(ladder.sketch, triton=rung.triton, values=rung.values)
    triton = rendered_triton(sketch, rung.style, rung.note)
    return rendered(ladder.sketch, Style(typed=draw.random() < 0.35), triton)


def _ladders() -> Iterator[Ladder]:
    known = read_table(TABLES / "ladders.toml", ENTRIES)
    for name, entry in known.items():
        header, *rows = entry.get("cases", ((),))
        for row in rows:
            *words, perf = row
            case = {key: _value(entry, key, word) for key, word in zip(header, words, strict=False)}
            sketch = sketched(entry, _defaults(entry) | case)
            if sketch is None:
                raise ValueError(f"The conditions of {name} exclude the case {row}.")
            timed = size_rows(f"{' '.join(sketch.size_names)}: {perf}")
            rungs = tuple(
                _rung(known[axes.get("like", name)], title, tags, case, axes, note)
                for title, tags, when, axes, note in entry["rungs"]
                if evaluated(when, {**sketch.values, **timed[0]})
            )
            yield Ladder(name, replace(sketch, perf=timed), rungs)


def _rung(
    entry: Mapping[str, Any],
    name: str,
    tags: str,
    case: Mapping[str, Any],
    axes: Mapping[str, Any],
    note: str,
) -> Rung:
    axes = {**_defaults(entry), **case, **axes}
    return Rung(
        name=name,
        tags=tuple(filter(None, tags.split(", "))),
        note=note,
        triton=entry["triton"],
        style=Style(writes_warps=True, **{key: axes.pop(key) for key in STYLED & axes.keys()}),
        values=values_of(entry, axes),
    )


def _defaults(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: axis_of(values)[0] for key, values in entry["axes"].items() if values}


def _value(entry: Mapping[str, Any], key: str, word: Any) -> Any:
    """Return the value of an axis that this word names."""
    if key in ("chain", "after"):
        return chain_of(*word.split())
    values = axis_of(entry["axes"].get(key, ()))
    return next((value for value in values if getattr(value, "name", value) == word), word)


LADDERS: tuple[Ladder, ...] = tuple(_ladders())
