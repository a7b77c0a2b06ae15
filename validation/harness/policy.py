"""Which grades of evidence a verdict needs: the table in `validation/policy.toml`."""

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
    """Return whether a pair of this origin may pass with this value of a grade.

    `origin` may have a source behind a colon, as entries have it.
    """
    by_origin = _table()["verdict"]
    table = by_origin.get(origin.partition(":")[0], by_origin["default"])
    return grade not in table or value in table[grade]
