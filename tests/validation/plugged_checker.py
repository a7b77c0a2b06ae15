"""A checker of tests in the place of a device: it works on four items at once."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from curation.models import Kernel, Outcome, Verdict
from validation.checkers import Checker, compilable
from validation.findings import Beat, Begin, FindingCheck, ItemFinding

AT_ONCE = 4
FINE = ItemFinding(Verdict.PASSED, "fine", checks=(FindingCheck("equal", Outcome.PASSED),))


class PluggedChecker:
    """Records what it is asked, passes items without a finding, and stops at deadly ones."""

    def __init__(self) -> None:
        self.environment: Mapping[str, Any] = {"made": "for tests"}
        self.asked: list[int] = []
        self.together: list[int] = []
        self.findings: dict[int, ItemFinding] = {}
        self.deadly: set[int] = set()
        self.stops_by: BaseException = MemoryError("the worker is gone")

    @contextmanager
    def open(self, options: Mapping[str, Any]) -> Iterator["PluggedChecker"]:
        yield self

    def check(
        self, items: Iterable[Kernel], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Kernel, ItemFinding]]:
        waiting = list(items)
        self.together.append(len(waiting))
        for place, item in enumerate(waiting):
            beat()
            for ahead in waiting[place : place + AT_ONCE]:
                begin(ahead)
            if item.pk in self.deadly:
                self.stop()
            self.asked.append(item.pk)
            yield item, self.findings.get(item.pk, FINE)

    def stop(self) -> None:
        raise self.stops_by

    def plug(self) -> Checker:
        return Checker(model=Kernel, eligible=compilable, open=self.open)
