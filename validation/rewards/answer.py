"""Answers of the reward service, shared by server and client."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Tier(StrEnum):
    """Extent of a check: only the shown cases, or all checks."""

    FAST = "fast"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class RewardAnswer:
    """Answer to one request.

    verdict: the harness's verdict, or None if the kernel was not judged.
    reward: None if the kernel was not judged; `message` then has the reason.
    checks: `name`, `verdict` and `words` of each check.
    seconds: duration of the check, without waiting in the queue.
    """

    verdict: str | None
    reward: float | None
    message: str
    checks: tuple[Mapping[str, str | None], ...] = ()
    grades: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def not_judged(reason: str, seconds: float = 0.0) -> RewardAnswer:
    """Return an answer without a verdict. It does not count against the kernel."""
    return RewardAnswer(None, None, reason, seconds=seconds)


def read_answer(record: Mapping[str, Any]) -> RewardAnswer:
    """Parse an answer from its JSON. Raise LookupError or TypeError if it is malformed."""
    return RewardAnswer(
        verdict=record["verdict"],
        reward=record["reward"],
        message=record["message"],
        checks=tuple(record["checks"]),
        grades=record["grades"],
        seconds=record["seconds"],
    )
