"""Rules by origin of an entry, read from the tables in `validation/harness/policy.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[1] / "policy.toml"


@cache
def _table() -> Mapping[str, Any]:
    with TABLE.open("rb") as file:
        return tomllib.load(file)


def passes(origin: str, grade: str, value: str) -> bool:
    """Return whether a pair of this origin passes with this value of a grade."""
    table = _of_origin("verdict", origin)
    return grade not in table or value in table[grade]


def compile_seconds(origin: str) -> float:
    """Return the time limit for compiling the kernels of an entry of this origin."""
    return float(_of_origin("compile_seconds", origin))


def most_compile_seconds() -> float:
    return float(max(_table()["compile_seconds"].values()))


def _of_origin(table: str, origin: str) -> Any:
    by_origin = _table()[table]
    return by_origin.get(origin, by_origin["default"])
