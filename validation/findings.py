"""What a checker says about one item, before it is written."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from curation.models import Outcome, Verdict

# Called every few seconds while a check goes on: renews the lease, raises when it is lost.
Beat = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    outcome: Outcome
    message: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    verdict: Verdict
    message: str
    seconds: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()


class OpenChecker(Protocol):
    """A checker with its workers running."""

    @property
    def environment(self) -> Mapping[str, Any]:
        """Where its verdicts hold: versions, device, how it was confined."""

    def check(self, items: Iterable[Any], beat: Beat) -> Iterator[tuple[Any, Finding]]:
        """Each item with what was found, in the order in which they are done."""
