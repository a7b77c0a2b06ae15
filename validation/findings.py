"""Findings of a checker about single items, before they are stored."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from curation.models import Outcome, Verdict
from validation.harness.sandbox import readable

log = logging.getLogger(__name__)

MESSAGE_MOST = 2000

# Called every few seconds during a check: renews the lease, and raises if it is lost.
Beat = Callable[[], None]
# Called with each item before a process checks it.
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
    # Outputs of the compiler, by name.
    texts: Mapping[str, str] = field(default_factory=dict)


class OpenChecker(Protocol):
    """A checker with its workers running."""

    @property
    def environment(self) -> Mapping[str, Any]:
        """Environment in which its verdicts hold: versions, device, confinement."""

    def check(
        self, items: Iterable[Any], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Any, ItemFinding]]:
        """Yield each item with its finding, in order of completion."""


def judged(read: Callable[[], ItemFinding]) -> ItemFinding:
    """Return the finding that `read` makes. If `read` raises, return a finding of an error.

    A fault of the checker with one item must not end the check of the others.
    """
    try:
        return read()
    except Exception as error:
        log.exception("A finding can't be made")
        return crashed(f"the judge failed on this item: {type(error).__name__}: {error}")


def crashed(message: str) -> ItemFinding:
    return ItemFinding(Verdict.CRASHED, readable(message, MESSAGE_MOST))
