"""Which grades of evidence an export takes, by origin: the table in `validation/policy.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from curation.installation.data_folder import BASE_DIR

TABLE = BASE_DIR / "validation" / "policy.toml"
# A number that a grade may reach, by the name of its limit.
LIMITS = {"torch_share_most": "torch_share"}


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    with TABLE.open("rb") as file:
        found: Mapping[str, Mapping[str, Any]] = tomllib.load(file)["export"]
    return found


def refusal(origin: str, grades: Mapping[str, Any]) -> str:
    """Return which grade keeps a pair of this origin out, in words, or an empty text.

    Results of before there were grades have none, and pass: their verdicts were stricter.
    """
    table = _table().get(origin) or _table()["default"]
    for name, wanted in table.items():
        value = grades.get(LIMITS.get(name, name))
        if value is None:
            continue
        if name in LIMITS:
            if value > wanted:
                return f"Torch computes {value:.0%} of it, and {wanted:.0%} is the most."
        elif value not in wanted:
            words = name.replace("_", " ")
            return f"Its {words} is {value}, where {' or '.join(wanted)} is needed."
    return ""
