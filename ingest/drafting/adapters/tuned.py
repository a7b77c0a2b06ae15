"""Tuned configurations in a library's YAML file, rewritten as lists of `triton.Config`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

MOST = 16
"""Maximum number of configurations. From a longer list, the pair keeps only the first, because
trying all of them would take minutes.
"""
MOST_BYTES = 200_000
MOST_CHOICES = 8
OPTIONS = ("num_warps", "num_stages", "num_ctas")


def write_configurations(text: str) -> dict[str, str]:
    """Return the source of each kernel's list of configurations, by kernel."""
    if len(text) > MOST_BYTES:
        return {}
    try:
        known = yaml.safe_load(text)
    except yaml.YAMLError:
        return {}
    written: dict[str, str] = {}
    for name, entries in known.items() if isinstance(known, dict) else ():
        listed = entries if isinstance(entries, list) else []
        configs = [config for entry in listed for config in _configs(entry)]
        if configs and isinstance(name, str) and name.isidentifier():
            kept = configs if len(configs) <= MOST else configs[:1]
            written[name] = "[\n" + "".join(f"    {config},\n" for config in kept) + "]"
    return written


def _configs(entry: object) -> Iterator[str]:
    """Yield the configurations of an entry: listed ones, or all combinations of listed choices."""
    if not isinstance(entry, dict):
        return
    if not entry.get("gen"):
        yield _config(_plain(entry.get("META")), entry)
        return
    places = entry.get("param_map")
    if not isinstance(places, dict):
        return
    meta = places.get("META")
    named = {**(meta if isinstance(meta, dict) else {}), **places}
    named.pop("META", None)
    names = list(named)
    choices = [_choices(entry, named[name]) for name in names]
    for values in itertools.islice(itertools.product(*choices), 2 * MOST):
        row: dict[str, object] = dict(zip(names, values, strict=True))
        options = {name: row.pop(name) for name in OPTIONS if name in row}
        yield _config(row, options)


def _choices(entry: Mapping[str, Any], key: object) -> list[int]:
    if isinstance(key, int):
        return [key]
    found = entry.get(key) if isinstance(key, str) else None
    listed = found if isinstance(found, list) else [found]
    return [value for value in listed if isinstance(value, int)][:MOST_CHOICES]


def _plain(values: object) -> dict[str, object]:
    """Return the numbers of a mapping. Other values can't be constants of a kernel."""
    items = values.items() if isinstance(values, dict) else ()
    return {str(key): value for key, value in items if isinstance(value, int | float)}


def _config(values: Mapping[str, object], options: Mapping[str, object]) -> str:
    named = [f"{name}={options[name]}" for name in OPTIONS if isinstance(options.get(name), int)]
    inner = ", ".join(f'"{key}": {value}' for key, value in values.items())
    return f"triton.Config({', '.join(['{' + inner + '}', *named])})"
