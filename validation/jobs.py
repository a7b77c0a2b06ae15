"""Entry points of rq jobs: check the batch of items of one run, or run one chosen case."""

import sys
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from curation.errors import CurationError
from curation.jobs.attempt import Attempt, at_shell, carry_out
from curation.models import (
    CompiledText,
    Device,
    Kernel,
    Pair,
    RunState,
    TriedCase,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from curation.progress_bar import Bar
from validation.checkers import Checker, checker_for
from validation.findings import ItemFinding, OpenChecker, crashed

if TYPE_CHECKING:
    from validation.equivalence import Harness


def validate(run_pk: int) -> None:
    """Check the items of a run, once."""
    carry_out(ValidationRun, run_pk, _validate)


def try_case(run_pk: int) -> None:
    """Run the case that a reviewer chose, once."""
    carry_out(TriedCase, run_pk, _try_case)


def _try_case(run: TriedCase, attempt: Attempt[TriedCase], open_: "Harness | None" = None) -> None:
    from validation.equivalence import open_harness

    if run.pair.content_hash != run.content_hash:
        attempt.fail("The pair has changed since.")
        return
    attempt.tell("starting", 0)
    opened = open_harness(Device(run.device), {"jobs": 1, "share": 1})
    with nullcontext(open_) if open_ else opened as harness:
        attempt.tell("running", 0)
        report = harness.try_case(run)
    attempt.succeed(report=report, stage="done")


def _validate(run: ValidationRun, attempt: Attempt[ValidationRun]) -> None:
    checker = checker_for(run.device)
    progress = ProgressWriter(run, attempt, done=run.results.count())
    todo = list(_left(run, checker))
    for item in todo:
        if item.pk in run.skipped:
            _keep(run, item, _skipped(run, item), progress)
    items = [item for item in todo if item.pk not in run.skipped]
    if items:
        try:
            _check(run, attempt, checker, items, progress)
        except CurationError:
            # Record no item as begun, because the cause of the error is known and is not an item.
            progress.take_back()
            raise
    progress.end()
    attempt.succeed(done=progress.done)


def _check(
    run: ValidationRun,
    attempt: Attempt[ValidationRun],
    checker: Checker,
    items: list[Any],
    progress: "ProgressWriter",
) -> None:
    """Check the items.

    Items that a previous attempt began but did not finish come first, one at a time. So if one
    ends this attempt too, it is the only suspect.
    """
    suspects = [item for item in items if str(item.pk) in run.begun]
    rest = [item for item in items if str(item.pk) not in run.begun]
    progress.show("starting")
    with checker.open(run.options) as opened:
        attempt.renew(environment=dict(opened.environment))
        progress.show("checking")
        for some in (*([item] for item in suspects), rest):
            for item, finding in opened.check(some, attempt.check, progress.begin):
                _keep(run, item, finding, progress)
                _let_overtake(run, opened)


def _let_overtake(run: ValidationRun, opened: OpenChecker) -> None:
    """Between two items, run a case that a person waits for, except while pairs are timed."""
    if run.options.get("timing"):
        return
    waiting = TriedCase.objects.filter(state=RunState.QUEUED).order_by("pk")
    case = waiting.values_list("pk", "device").first()
    if case is None:
        return
    from validation.equivalence import Harness

    # Another device's checker, such as the compiler, can't run a case.
    harness = opened if isinstance(opened, Harness) and case[1] == run.device else None
    carry_out(TriedCase, case[0], partial(_try_case, open_=harness))


def _left(run: ValidationRun, checker: Checker) -> Iterator[Any]:
    """Yield the run's items that have no result yet and whose content is unchanged."""
    kind = checker.model._meta.model_name
    contents = {key: content for named, key, content in run.batch if named == kind}
    finished = set(run.results.values_list(f"{kind}_id", flat=True))
    for item in checker.model._default_manager.filter(pk__in=contents.keys() - finished).order_by(
        "pk"
    ):
        if item.content_hash == contents[item.pk]:
            yield item


def _skipped(run: ValidationRun, item: Any) -> ItemFinding:
    ends = run.begun[str(item.pk)]
    return crashed(f"The worker stopped {ends} times while it checked this, so it was skipped.")


def _keep(run: ValidationRun, item: Any, finding: ItemFinding, progress: "ProgressWriter") -> None:
    with transaction.atomic():
        progress.one_more(item, store_finding(run, item, finding))


def store_finding(run: ValidationRun, item: Any, finding: ItemFinding) -> ItemFinding:
    """Store a finding. If the database rejects its text, store an error verdict instead."""
    try:
        with transaction.atomic():
            _store(run, item, finding)
    except (OperationalError, InterfaceError):
        # The database is unavailable, which is not caused by the item.
        raise
    except (DatabaseError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
        refused = f"Its result can't be stored ({type(error).__name__}). It was {finding.verdict}: "
        finding = crashed(f"{refused}{finding.message}")
        _store(run, item, finding)
    return finding


def _store(run: ValidationRun, item: Any, finding: ItemFinding) -> None:
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
    measured = _measured(item, finding)
    type(item)._default_manager.filter(pk=item.pk).update(**measured, open_claims=None)
    if isinstance(item, Pair) and item.kernel_id:
        Kernel.objects.filter(pk=item.kernel_id).update(open_claims=None)
    if finding.texts:
        # Keep only the texts of an item's newest compile, because they have 20 KB each.
        CompiledText.objects.filter(**{f"result__{item._meta.model_name}": item}).delete()
        CompiledText.objects.bulk_create(
            CompiledText(result=result, name=name, compressed=zlib.compress(text.encode()))
            for name, text in finding.texts.items()
        )


def _measured(item: Any, finding: ItemFinding) -> dict[str, Any]:
    """Return values for the columns by which lists of items are sorted."""
    figures = finding.figures
    if isinstance(item, Kernel):
        names = {"registers": "registers", "spilled_bytes": "local_bytes"}
        return {column: figures[name] for column, name in names.items() if name in figures}
    speedup = figures.get("speedup")
    return {"speedup": speedup} if isinstance(speedup, int | float) else {}


class ProgressWriter:
    """Writer of progress: into the run's row, which renews the lease, and onto a terminal.

    The row also lists the items that are being checked: `ValidationRun.begun`.
    """

    def __init__(self, run: ValidationRun, attempt: Attempt[ValidationRun], *, done: int) -> None:
        self.done = done
        self._begun: dict[str, int] = run.begun
        self._by_this_attempt: set[str] = set()
        self._attempt = attempt
        self._total = len(run.batch)
        self._label = Device(run.device).label
        self._bar = Bar(sys.stderr, lines=at_shell.get())

    def show(self, stage: str) -> None:
        self._attempt.tell(stage, self.done, self._total, begun=self._begun)

    def begin(self, item: Any) -> None:
        """Record that `item` is being checked, in case it crashes the worker."""
        key = str(item.pk)
        if key not in self._by_this_attempt:
            self._by_this_attempt.add(key)
            self._begun[key] = self._begun.get(key, 0) + 1
            self._attempt.renew(begun=self._begun)

    def take_back(self) -> None:
        """Remove from the list the items that this attempt has begun but not finished."""
        for key in self._by_this_attempt & self._begun.keys():
            self._begun[key] -= 1
            if not self._begun[key]:
                del self._begun[key]
        self._attempt.renew(begun=self._begun)

    def one_more(self, item: Any, finding: ItemFinding) -> None:
        self.done += 1
        if str(item.pk) in self._by_this_attempt:
            del self._begun[str(item.pk)]
        if finding.verdict != Verdict.PASSED:
            self._attempt.journal.write(f"{item}: {finding.verdict}. {finding.message}")
        self.show("checking")
        self._bar.show(self._label, self.done, self._total)

    def end(self) -> None:
        self._bar.end()
