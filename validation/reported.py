"""Reports of the harness from another machine, stored as a validation run of this installation.

A GPU may be in a machine without this database. There `python -m validation.harness` checks a file
of entries; here its report becomes results, as if a worker had checked the pairs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from curation.errors import CurationError
from curation.jobs.in_process import carry_out_here
from curation.models import Device, Pair, ValidationRun
from validation.checkers import checker_for
from validation.equivalence import finding
from validation.findings import Beat, Begin, Finding, judged
from validation.harness.report import Check, Report, Verdict
from validation.jobs import validate
from validation.requests import request_validation


class ReportUnreadable(CurationError):
    """The file is no report of the harness, or reports on other pairs."""


def store_reports(path: Path, pairs: Iterable[Pair]) -> list[ValidationRun]:
    """Store the reports about these pairs, found by their record ids, as runs on a GPU."""
    reports = {report.id: report for report in read_reports(path)}
    known = [pair for pair in pairs if str(pair) in reports]
    if not known:
        raise ReportUnreadable(f"{path} reports on no ladder that is stored here.")
    environments = {json.dumps(one.environment, sort_keys=True) for one in reports.values()}
    if len(environments) > 1:
        raise ReportUnreadable(f"{path} has reports of several machines: import them one by one.")
    reported = _Reported(reports)
    if not reported.environment.get("gpu"):
        raise ReportUnreadable(f"{path} names no GPU: run the harness with --device cuda.")
    checker = replace(checker_for(Device.CUDA), open=reported.open)
    job = partial(validate, checker=checker)
    return [
        carry_out_here(run, job)
        for run in request_validation(
            known, device=Device.CUDA, hand_over=False, options={"timing": True}
        )
    ]


def read_reports(path: Path) -> Iterator[Report]:
    """Yield the reports of a file that the harness wrote by `--report`."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            yield _report(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ReportUnreadable(f"{path}, line {number}: no report of the harness.") from None


def _report(values: Mapping[str, Any]) -> Report:
    checks = (
        Check(
            check["name"],
            Verdict(check["verdict"]) if check["verdict"] else None,
            check["words"],
            check["numbers"],
        )
        for check in values["checks"]
    )
    verdict = Verdict(values["verdict"])
    return Report(**{**values, "verdict": verdict, "checks": tuple(checks)})


@dataclass(frozen=True, slots=True)
class _Reported:
    """A checker whose findings are known already."""

    reports: Mapping[str, Report]

    @property
    def environment(self) -> Mapping[str, Any]:
        return next(iter(self.reports.values())).environment

    def open(self, options: Mapping[str, Any]) -> AbstractContextManager[_Reported]:
        return nullcontext(self)

    def check(
        self, items: Iterable[Pair], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Pair, Finding]]:
        for pair in items:
            begin(pair)
            yield pair, judged(partial(finding, self.reports[str(pair)]))
