"""Reports about entries: checks in words and numbers, and the verdict and grades from them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from validation.harness.sandbox.hostile_json import readable

WORDS_MOST = 2000
DEEPEST = 60


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_TRITON = "not_triton"
    VACUOUS = "vacuous"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    UNSUPPORTED = "unsupported"


# If checks give several verdicts, the first in this order is the entry's.
WORST_FIRST = (
    Verdict.TIMEOUT, Verdict.CRASHED, Verdict.UNSUPPORTED, Verdict.NOT_TRITON, Verdict.FAILED,
    Verdict.ERROR, Verdict.VACUOUS,
)  # fmt: skip
# Grades by the check that determines them.
GRADES = {
    "variations": ("accuracy", "own_error", "sizes", "values", "special_values", "unvaried"),
    "triton": ("computed_by", "torch_operations", "torch_share", "launched", "unlaunched"),
    "falsifiable": ("test_strength",),
}


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check. `verdict`: the entry's verdict if this were the only check, or None if
    the check was not made."""

    name: str
    verdict: Verdict | None
    words: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    id: str
    verdict: Verdict
    message: str
    checks: tuple[Check, ...]
    seconds: dict[str, float]
    environment: dict[str, Any]
    figures: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def presentable(value: Any, deepest: int = DEEPEST) -> Any:
    """Return the value without characters that terminals, JSON or databases can't hold, as an entry
    may print anything. Parts that are nested deeper than `deepest` are left out."""
    match value:
        case str() if not isinstance(value, StrEnum):
            return readable(value, WORDS_MOST)
        case Check():
            words, numbers = presentable(value.words), presentable(value.numbers)
            return replace(value, words=words, numbers=numbers)
        case dict() | list() | tuple() if not deepest:
            return "\N{HORIZONTAL ELLIPSIS}"
        case dict():
            return {
                readable(str(key), WORDS_MOST): presentable(part, deepest - 1)
                for key, part in value.items()
            }
        case list() | tuple():
            return type(value)(presentable(part, deepest - 1) for part in value)
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def verdict_of(made: Sequence[Check]) -> tuple[Verdict, str]:
    for verdict in WORST_FIRST:
        for check in made:
            if check.verdict is verdict:
                return verdict, check.words
    passed = sum(check.verdict is Verdict.PASSED for check in made)
    return Verdict.PASSED, f"{passed} checks pass"


def with_check(report: Report, check: Check, seconds: Mapping[str, float]) -> Report:
    """Return the report with one more check, and the seconds that it took."""
    checks = (*report.checks, presentable(check))
    verdict, message = verdict_of(checks)
    rounded = {name: round(value, 4) for name, value in seconds.items()}
    return replace(
        report, verdict=verdict, message=message, checks=checks,
        seconds={**report.seconds, **rounded},
    )  # fmt: skip


def figures(made: Sequence[Check]) -> dict[str, Any]:
    """Return the number of inputs and the largest errors, if answers were compared."""
    numbers = [check.numbers for check in made if check.name in ("accuracy", "variations")]
    numbers = [record for record in numbers if record.get("cases")]
    if not numbers:
        return {}
    worst = {"cases": sum(record["cases"] for record in numbers)}
    for name in ("max_abs_error", "max_rel_error", "share_of_allowed"):
        if values := [record[name] for record in numbers if name in record]:
            worst[name] = presentable(max(values))
    return worst


def grades(made: Sequence[Check]) -> dict[str, Any]:
    """Return the grades that the checks determined."""
    return {
        name: check.numbers[name]
        for check in made
        for name in GRADES.get(check.name, ())
        if name in check.numbers
    }
