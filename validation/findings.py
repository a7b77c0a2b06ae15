"""Findings of a checker about single items, before they are written."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from curation.models import Outcome, Verdict
from validation.harness.sandbox import readable

log = logging.getLogger(__name__)

MESSAGE_MOST = 2000

# Called every few seconds while a check goes on: renews the lease, raises when it is lost.
Beat = Callable[[], None]
# Called with an item before it is given to a process.
Begin = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class FindingCheck:
    name: str
    outcome: Outcome
    message: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemFinding:
    verdict: Verdict
    message: str
    seconds: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[FindingCheck, ...] = ()
    # Outputs of the compiler by name.
    texts: Mapping[str, str] = field(default_factory=dict)


class OpenChecker(Protocol):
    """A checker with its workers running."""

    @property
    def environment(self) -> Mapping[str, Any]:
        """The environment in which its verdicts hold: versions, device, confinement."""

    def check(
        self, items: Iterable[Any], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Any, ItemFinding]]:
        """Yield each item with its finding, in the order in which they are done."""


def judged(read: Callable[[], ItemFinding]) -> ItemFinding:
    """Return the finding that `read` makes of an item's answers, or an error if it raises.

    A fault of the checker that one item triggers must not end the run of the others.
    """
    try:
        return read()
    except Exception as error:
        log.exception("A finding can't be made")
        return crashed(f"the judge failed on this item: {type(error).__name__}: {error}")


def crashed(message: str) -> ItemFinding:
    return ItemFinding(Verdict.CRASHED, readable(message, MESSAGE_MOST))
