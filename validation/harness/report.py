"""Reports about entries: a verdict, and each check in words and numbers."""

import math
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


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check. `verdict`: the entry's if only this check counted, None if not made."""

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
    """Return the value without characters that terminals, JSON or databases can't hold: an entry
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
