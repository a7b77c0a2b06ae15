"""All recipes of the tables, in the order in which they are displayed."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from validation.pairs.recipes.functions import FUNCTIONS
from validation.pairs.recipes.recipe import Choice, Recipe

Entries = dict[str, dict[str, Any]]
"""Entries of tables, by the entry's name."""
TABLES = Path(__file__).resolve().with_name("tables")
ORDER = ("maps", "reductions", "products", "movements", "sequences", "training", "quantization",
         "positions", "packed", "gradients", "attention", "experts")  # fmt: skip


def read_table(path: Path, known: Entries | None = None) -> Entries:
    """Return the entries of a table. With `like`, an entry takes missing keys from another entry.

    An entry that adds an axis must list all of its axes. An axis with the value “like” takes the
    values of the other entry.

    known: entries of other tables. They are returned too.
    """
    entries = dict(known or {})
    for name, entry in tomllib.loads(path.read_text("utf-8")).items():
        base = entries.get(entry.get("like", ""), {})
        axes = {
            key: base["axes"][key] if values == "like" else values
            for key, values in entry.get("axes", {}).items()
        }
        if axes.keys() <= base.get("axes", {}).keys():
            axes = {**base.get("axes", {}), **axes}
        merged = {"axes": axes, "let": {**base.get("let", {}), **entry.get("let", {})}}
        entry = {"template": name.replace("-", "_"), **base, **entry, **merged}
        entries[name] = {**entry, "triton": f"triton/{entry['template']}"}
    return entries


def axis_of(values: Any) -> tuple[Any, ...]:
    if isinstance(values, str):
        return tuple(FUNCTIONS[values])
    if values and isinstance(values[0], list) and values[0][0] == "name":
        # The first row contains the names of the columns.
        header, *rows = values
        return tuple(Choice(row[0], dict(zip(header, _frozen(row), strict=True))) for row in rows)
    return _frozen(values)


def _frozen(values: Any) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


ENTRIES: Entries = {
    name: entry for table in ORDER for name, entry in read_table(TABLES / f"{table}.toml").items()
}
RECIPES: tuple[Recipe, ...] = tuple(
    # An empty axis removes the axis of that name in the entry named by `like`.
    Recipe(name, {key: axis_of(values) for key, values in entry["axes"].items() if values}, entry)
    for name, entry in ENTRIES.items()
)
