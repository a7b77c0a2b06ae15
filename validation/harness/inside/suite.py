"""The entry's own test as the contract runs it: three files in a folder, and pytest.

The candidate runs beside what judges it here, so what this says counts only together with the
answers that the candidate gave where nothing could be borrowed.
"""

from typing import Any

import pytest

from validation.harness.channel import Blob
from validation.harness.inside import folder, gpu, tampering
from validation.harness.inside.complaint import described
from validation.harness.inside.session import run_pytest

MOST = 3000


class Suite:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.texts = {name: order[name] for name in folder.NAMES}

    def suite(self, _: dict[str, Any], __: list[memoryview]) -> tuple[Any, list[Blob]]:
        broken = tampering.sealed()
        outcomes = Outcomes()
        answer: dict[str, Any] = {"raised": None}
        place = folder.lay_out(self.texts)
        try:
            answer["exit"] = run_pytest(place, outcomes)
        except BaseException as error:  # noqa: BLE001 - SystemExit is how some leave
            answer["raised"] = described(error)
        return {**answer, **outcomes.as_dict(), "patched": broken()}, []


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
