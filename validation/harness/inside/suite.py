"""The process of the entry's own test as the contract runs it: three files in a folder, and pytest.

The launcher runs beside the test that judges it, and could change the result. So the result counts
only together with the replays.
"""

from contextlib import suppress
from typing import Any

import pytest

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu
from validation.harness.inside.complaint import described
from validation.harness.inside.session import run_pytest
from validation.harness.recorder.role import Observer

MOST = 3000


class Suite:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.texts, self.point = {name: order[name] for name in folder.NAMES}, order["entry_point"]

    def suite(self, _: dict[str, Any], __: list[memoryview]) -> tuple[Any, list[Blob]]:
        outcomes, observer = Outcomes(), Observer()
        answer: dict[str, Any] = {"raised": None}
        place = folder.lay_out(self.texts)
        try:
            self._observe(observer)
            answer["exit"] = run_pytest(place, outcomes)
        except BaseException as error:  # noqa: BLE001 - SystemExit is how some leave
            answer["raised"] = described(error)
        return {**answer, **outcomes.as_dict(), "calls": observer.calls()}, []

    def _observe(self, observer: Observer) -> None:
        """Have the launcher's calls recorded. A text that can't be imported fails its test."""
        with suppress(Exception):
            module = folder.load("triton_code")
            observed = observer.observe(folder.function(module, self.point))
            setattr(module, self.point, observed)


class Outcomes:
    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[str] = []
        self.skipped: list[str] = []
        self.complaint = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.append(report.nodeid)
        elif report.failed:
            self._complain(report.nodeid, report)
        elif report.skipped:
            self.skipped.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._complain(report.nodeid or "collection", report)

    def _complain(self, name: str, report: pytest.TestReport | pytest.CollectReport) -> None:
        self.failed.append(name)
        self.complaint = self.complaint or str(report.longrepr)[-MOST:]

    def as_dict(self) -> dict[str, Any]:
        return {
            "passed": len(self.passed),
            "failed": len(self.failed),
            "skipped": len(self.skipped),
            "complaint": self.complaint,
        }
