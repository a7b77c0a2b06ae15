"""Accepted evidence grades of an export, by origin: the table in `validation/policy.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from curation.operations.data_folder import BASE_DIR

TABLE = BASE_DIR / "validation" / "policy.toml"
# Grades with a numeric limit, by the name of the limit.
LIMITS = {"torch_share_most": "torch_share"}


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    with TABLE.open("rb") as file:
        found: Mapping[str, Mapping[str, Any]] = tomllib.load(file)["export"]
    return found


def refusal(origin: str, grades: Mapping[str, Any]) -> str:
    """Return the grade that excludes a pair of this origin, in words, or an empty text.

    Older results without grades pass, because their verdicts were stricter.
    """
    table = _table().get(origin) or _table()["default"]
    for name, accepted in table.items():
        value = grades.get(LIMITS.get(name, name))
        if value is None:
            continue
        if name in LIMITS:
            if value > accepted:
                return f"Torch computes {value:.0%} of it; at most {accepted:.0%} is accepted."
        elif value not in accepted:
            words = name.replace("_", " ")
            return f"Its {words} is {value}, {' or '.join(accepted)} is required."
    return ""
