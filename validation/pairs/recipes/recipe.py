"""A recipe: axes with values to combine, and the table entry that describes each combination.

A table (`tables/*.toml`) has an entry for each recipe. The entry's texts are Jinja templates, and
its conditions are Jinja expressions. Both can use the value of each axis and the values of `let`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, StrictUndefined

from validation.pairs.recipes.chains import sentence_of
from validation.pairs.recipes.functions import FUNCTIONS, model_sizes
from validation.pairs.recipes.sketch import (
    TOLERANCE,
    Argument,
    Sketch,
    config_rows,
    parts_of,
)

Rows = tuple[dict[str, Any], ...]
EXACT_PRODUCTS = "Exact products of float32 are unrolled by the compiler, so blocks stay small."
"""Comment on the configurations of an entry whose value of `exact` is true."""


class Choice(str):
    """A value of an axis. It comes from a row of a table and has further attributes."""

    def __new__(cls, name: str, row: Mapping[str, Any]) -> Choice:
        choice = super().__new__(cls, name)
        vars(choice).update(row)
        return choice


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """A recipe. If it has an axis `dtypes`, that axis determines the data types."""

    name: str
    axes: Mapping[str, tuple[Any, ...]]
    entry: Mapping[str, Any]

    @property
    def combinations(self) -> int:
        return math.prod(len(values) for values in self.axes.values())

    def sketch(self, combination: int) -> Sketch | None:
        """Return the sketch of the combination with this number. The first axis changes fastest."""
        chosen = {}
        for name, values in self.axes.items():
            combination, place = divmod(combination, len(values))
            chosen[name] = values[place]
        return sketched(self.entry, chosen)


def values_of(entry: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chosen values of an entry's axes and the values of its `let`."""
    values = {"dtypes": ("float32",), **chosen}
    if "dtypes" in entry:
        values["dtypes"] = evaluated(entry["dtypes"], values)
    values["narrow"] = values["dtypes"] != ("float32",)
    for word, expression in entry.get("let", {}).items():
        values[word] = evaluated(expression, values)
    return values


def sketched(entry: Mapping[str, Any], chosen: Mapping[str, Any]) -> Sketch | None:
    """Return the sketch of an entry for the chosen values, or None if they are incompatible."""
    values = values_of(entry, chosen)
    if not all(evaluated(condition, values) for condition in entry.get("where", ())):
        return None

    def text(key: str, default: str = "") -> str:
        return _rendered(entry.get(key, default), values)

    def value(key: str, default: Any) -> Any:
        return evaluated(entry[key], values) if key in entry else default

    dtypes = values["dtypes"]
    tolerance = value("tolerance", TOLERANCE)
    sizes = size_rows(text("sizes"))
    if "configs" in entry:
        values["configs"] = config_rows(text("configs"))
        values["why"] = (EXACT_PRODUCTS,) if values.get("exact") else _lines(text("why"))
    return Sketch(
        entry_point=joined(text("entry_point")),
        summary=sentence_of(*parts_of(" ".join(text("summary").split()))),
        operation_type=text("type"),
        tags=tuple(dict.fromkeys(parts_of(text("tags"), ","))),
        triton=entry["triton"],
        python=_lines(text("python")),
        arguments=tuple(map(Argument.parsed, parts_of(text("arguments")))),
        sizes=sizes,
        allowed=value("allowed", {}),
        fixed=value("fixed", ()),
        perf=size_rows(text("perf")) or size_rows(model_sizes(tuple(sizes[0]))),
        dtypes=dtypes,
        tolerance={dtype: tolerance[dtype] for dtype in dtypes},
        layouts=tuple(text("layouts", "contiguous strided").split()),
        outputs=value("outputs", 1),
        inputs=_lines(text("inputs")),
        timed_for=text("timed_for"),
        levels=value("levels", {}),
        differentiable=entry.get("differentiable", False),
        values=values,
    )


def joined(name: str) -> str:
    """Return a name without the gaps that omitted words leave."""
    return re.sub("__+", "_", name).strip("_")


def size_rows(text: str) -> Rows:
    """Return sizes by name from “rows cols: 1 1, 5 127”. An extra word is the data type."""
    names, _, rows = text.partition(":")
    keys = (*names.split(), "dtype")
    return tuple(
        dict(
            zip(keys, (int(word) if word.isdigit() else word for word in row.split()), strict=False)
        )
        for row in parts_of(rows, ",")
    )


def _lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text without empty lines, which come from conditions that are false."""
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())


# The texts are code and not HTML, so nothing is escaped.
ENVIRONMENT = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
ENVIRONMENT.globals.update(FUNCTIONS)
# Returns the words whose condition is true.
ENVIRONMENT.filters["select_true"] = lambda words: tuple(filter(words.get, words))


@functools.cache
def _template(text: str) -> Callable[..., str]:
    return ENVIRONMENT.from_string(text).render


@functools.cache
def _expression(text: str) -> Callable[..., Any]:
    return ENVIRONMENT.compile_expression(text, undefined_to_none=False)


def _rendered(text: str, values: Mapping[str, Any]) -> str:
    # Most short texts have no variable part, so they need no template.
    return _template(text)(values) if "{" in text else text


def evaluated(expression: Any, values: Mapping[str, Any]) -> Any:
    return _expression(expression)(values) if isinstance(expression, str) else expression
