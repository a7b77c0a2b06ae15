"""Worker role that runs the entry's own test: three files in a folder, and pytest.

Attack: the launcher runs in the process of the test that judges it, and changes the result.
Defense: the result counts only together with the replays.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from validation.harness.pool.channel import Blob
from validation.harness.recorder.role import Observer
from validation.harness.worker import folder, gpu
from validation.harness.worker.folder import described

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
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            answer["raised"] = described(error)
        return {**answer, **outcomes.as_dict(), "calls": observer.calls()}, []

    def _observe(self, observer: Observer) -> None:
        """Record the launcher's calls. If triton_code can't be imported, the test fails anyway."""
        with suppress(Exception):
            module = folder.load("triton_code")
            observed = observer.observe(folder.function(module, self.point))
            setattr(module, self.point, observed)


def run_pytest(place: Path, *plugins: Any) -> int:
    """Run pytest in this process, on an entry's folder only."""
    arguments = [
        str(place / "test_code.py"), "--rootdir", str(place), "--confcutdir", str(place),
        "-c", os.devnull, "-q",
        "-p", "no:cacheprovider", "-p", "no:doctest", "-p", "no:junitxml", "-p", "no:pastebin",
        "-p", "no:faulthandler", "-p", "no:threadexception", "-p", "no:unraisableexception",
        "--tb=short", "--capture=sys",
    ]  # fmt: skip
    before = Path.cwd()
    os.chdir(place)
    try:
        return int(pytest.main(arguments, plugins=plugins))
    finally:
        os.chdir(before)


class Outcomes:
    """pytest plugin that counts outcomes and stores the first failure."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = 0
        self.complaint = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed += 1
        elif report.failed:
            self._fail(report)
        elif report.skipped:
            self.skipped += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._fail(report)

    def _fail(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        self.failed += 1
        self.complaint = self.complaint or str(report.longrepr)[-MOST:]

    def as_dict(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "failed": self.failed,
            "skipped": self.skipped,
            "complaint": self.complaint,
        }
