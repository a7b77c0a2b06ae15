"""What a checker says about one item, before it is written."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from curation.models import Outcome, Verdict
from validation.sandbox import readable

log = logging.getLogger(__name__)

MESSAGE_MOST = 2000

# Called every few seconds while a check goes on: renews the lease, raises when it is lost.
Beat = Callable[[], None]
# Called with an item before it is given to a process.
Begin = Callable[[Any], None]


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

    def check(
        self, items: Iterable[Any], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Any, Finding]]:
        """Each item with what was found, in the order in which they are done."""


def judged(read: Callable[[], Finding]) -> Finding:
    """Return what `read` makes of an item's answers; if it fails, a verdict that says so.

    A fault of ours that one item brings about must not end the run of the others.
    """
    try:
        return read()
    except Exception as error:
        log.exception("A finding can't be made")
        return crashed(f"the judge failed on this item: {type(error).__name__}: {error}")


def crashed(message: str) -> Finding:
    return Finding(Verdict.CRASHED, readable(message, MESSAGE_MOST))
