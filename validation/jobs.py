"""rq's entry point: one run, a batch of items, a result each."""

import sys
from collections.abc import Iterator
from typing import Any

from django.db import transaction

from curation.models import (
    Device,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from curation.progress_bar import Bar
from curation.queue.attempt import Attempt, carry_out
from curation.queue.in_process import at_shell
from validation.checkers import Checker, checker_for
from validation.findings import Finding


def validate(run_pk: int) -> None:
    """Check what a run names, once."""
    carry_out(ValidationRun, run_pk, _validate)


def _validate(run: ValidationRun, attempt: Attempt[ValidationRun]) -> None:
    checker = checker_for(run.device)
    progress = Progress(run, attempt, done=run.results.count())
    items = list(_left(run, checker))
    if items:
        progress.show("starting")
        with checker.open(run.options) as opened:
            attempt.renew(environment=dict(opened.environment))
            progress.show("checking")
            for item, finding in opened.check(items, attempt.check):
                with transaction.atomic():
                    _store(run, item, finding)
                    progress.one_more(item, finding)
    progress.end()
    attempt.succeed(done=progress.done)


def _left(run: ValidationRun, checker: Checker) -> Iterator[Any]:
    """What has no result in this run yet and still is what it was asked about."""
    kind = checker.model._meta.model_name
    asked = {key: content for named, key, content in run.batch if named == kind}
    done = set(run.results.values_list(f"{kind}_id", flat=True))
    for item in checker.model._default_manager.filter(pk__in=asked.keys() - done).order_by("pk"):
        if item.content_hash == asked[item.pk]:
            yield item


def _store(run: ValidationRun, item: Any, finding: Finding) -> None:
    result = ValidationResult.objects.create(
        run=run,
        **{item._meta.model_name: item},
        content_hash=item.content_hash,
        verdict=finding.verdict,
        message=finding.message,
        figures=dict(finding.figures),
        seconds=finding.seconds,
    )
    ValidationCheck.objects.bulk_create(
        ValidationCheck(
            result=result,
            name=check.name,
            outcome=check.outcome,
            message=check.message,
            figures=dict(check.figures),
        )
        for check in finding.checks
    )


class Progress:
    """Writes progress into the run's row, which keeps the lease, and shows it on a terminal."""

    def __init__(self, run: ValidationRun, attempt: Attempt[ValidationRun], *, done: int) -> None:
        self.done = done
        self._attempt = attempt
        self._total = len(run.batch)
        self._label = Device(run.device).label
        self._bar = Bar(sys.stderr, lines=at_shell.get())

    def show(self, stage: str) -> None:
        self._attempt.tell(stage, self.done, self._total)

    def one_more(self, item: Any, finding: Finding) -> None:
        self.done += 1
        if finding.verdict != Verdict.PASSED:
            self._attempt.journal.write(f"{item}: {finding.verdict}. {finding.message}")
        self.show("checking")
        self._bar.show(self._label, self.done, self._total)

    def end(self) -> None:
        self._bar.end()
