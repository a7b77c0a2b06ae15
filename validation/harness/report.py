"""What the harness says about an entry: a verdict, and each check in words and numbers."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    CHEATING = "cheating"
    VACUOUS = "vacuous"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `verdict` is what the entry deserves by this check alone; None: not made."""

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
