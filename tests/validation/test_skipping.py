"""An item that stops its worker again and again costs its run that item, and no other."""

from contextlib import suppress
from typing import Any

import pytest

from curation.errors import CurationError
from curation.jobs.sweep import sweep
from curation.models import Device, Kernel, Outcome, RunState, ValidationRun, Verdict
from curation.models.validation import MOST_SKIPPED
from tests.factories import a_kernel
from tests.validation.plugged_checker import PluggedChecker
from validation import checkers
from validation.findings import FindingCheck, ItemFinding, judged
from validation.jobs import validate
from validation.run_requests import queue_uncompiled, request_validation

pytestmark = pytest.mark.django_db


class Away(CurationError):
    retry = True


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch) -> PluggedChecker:
    deadly = PluggedChecker()
    monkeypatch.setitem(checkers.CHECKERS, Device.COMPILER, deadly.plug())
    return deadly


def a_run(count: int) -> tuple[ValidationRun, list[Kernel]]:
    kernels = [a_kernel() for _ in range(count)]
    (run,) = request_validation(kernels, device=Device.COMPILER, hand_over=False)
    return run, kernels


def tried(run: ValidationRun) -> None:
    """One attempt and a sweep after it, as the worker and the scheduler make them."""
    with suppress(MemoryError):
        validate(run.pk)
    sweep()
    run.refresh_from_db()


def tried_to_the_end(run: ValidationRun) -> None:
    for _ in range(100):
        if not run.live:
            return
        tried(run)
    raise AssertionError("the run does not end")


def verdicts(run: ValidationRun) -> dict[int, str]:
    return dict(run.results.order_by("kernel_id").values_list("kernel_id", "verdict"))


def test_after_a_crash_only_items_in_progress_are_checked_singly(checker: PluggedChecker) -> None:
    run, kernels = a_run(8)
    checker.deadly = {kernels[2].pk}
    tried(run)
    checker.deadly = set()
    checker.together.clear()

    tried(run)

    assert run.state == RunState.SUCCEEDED
    assert checker.together == [1, 1, 1, 1, 2]


def test_two_crashing_items_lose_only_their_own_verdicts(checker: PluggedChecker) -> None:
    run, kernels = a_run(6)
    checker.deadly = {kernels[1].pk, kernels[5].pk}

    tried_to_the_end(run)

    assert run.state == RunState.SUCCEEDED
    assert {key for key, verdict in verdicts(run).items() if verdict != "passed"} == checker.deadly
    said = "The worker stopped 3 times while it checked this, so it was skipped."
    assert f"{kernels[5]}: crashed. {said}" in run.log


def test_a_run_that_crashes_at_a_different_item_each_time_fails(checker: PluggedChecker) -> None:
    run, kernels = a_run(6)
    for place in (0, 2, 4):
        checker.deadly = {kernels[place].pk}
        tried(run)

    assert (run.state, run.attempts) == (RunState.FAILED, 3)
    assert set(verdicts(run).values()) == {"passed"}


def test_a_run_fails_after_the_maximum_number_of_skipped_items(
    checker: PluggedChecker,
) -> None:
    run, kernels = a_run(MOST_SKIPPED + 2)
    checker.deadly = {kernel.pk for kernel in kernels}

    tried_to_the_end(run)

    assert run.state == RunState.FAILED
    assert len(verdicts(run)) == MOST_SKIPPED


def test_a_checker_error_with_a_known_reason_is_not_attributed_to_an_item(
    checker: PluggedChecker,
) -> None:
    run, kernels = a_run(3)
    checker.deadly, checker.stops_by = {kernels[0].pk}, Away("The GPU is sick.")

    tried_to_the_end(run)

    assert (run.state, run.attempts) == (RunState.FAILED, 3)
    assert (run.message, run.begun, verdicts(run)) == ("The GPU is sick.", {}, {})


def test_the_scheduler_does_not_queue_a_skipped_item_again(
    checker: PluggedChecker, settings: Any
) -> None:
    settings.COMPILES_AT_ONCE = 1
    bad, *_ = [a_kernel() for _ in range(3)]
    checker.deadly = {bad.pk}
    assert queue_uncompiled() == 1
    tried_to_the_end(ValidationRun.objects.get())
    fresh = a_kernel()

    assert queue_uncompiled() == 1

    assert ValidationRun.objects.latest("pk").batch == [["kernel", fresh.pk, fresh.content_hash]]


@pytest.mark.parametrize(
    "finding",
    [
        ItemFinding(Verdict.FAILED, "half of \ud800"),
        ItemFinding(Verdict.FAILED, "", figures={"text": "half of \ud800", "number": float("nan")}),
        ItemFinding(
            Verdict.FAILED, "", checks=(FindingCheck("ttir", Outcome.FAILED, "half of \ud800"),)
        ),
        ItemFinding(Verdict.FAILED, "", figures={"no": {"json": object()}}),
    ],
)
def test_a_result_that_can_not_be_stored_loses_only_its_own_item(
    checker: PluggedChecker, finding: ItemFinding
) -> None:
    run, (bad, good) = a_run(2)
    checker.findings = {bad.pk: finding}

    tried(run)

    assert (run.state, run.done, run.attempts) == (RunState.SUCCEEDED, 2, 1)
    assert verdicts(run) == {bad.pk: "crashed", good.pk: "passed"}
    assert "can't be stored" in run.results.get(kernel=bad).message


def test_a_null_byte_in_a_result_does_not_end_the_run(checker: PluggedChecker) -> None:
    """PostgreSQL refuses it, SQLite stores it."""
    run, (bad, good) = a_run(2)
    checker.findings = {bad.pk: ItemFinding(Verdict.FAILED, "\0", figures={"text": "\0"})}

    tried(run)

    assert run.state == RunState.SUCCEEDED
    assert verdicts(run).keys() == {bad.pk, good.pk}


def test_an_exception_text_with_a_lone_surrogate_is_sanitized(checker: PluggedChecker) -> None:
    run, kernels = a_run(1)
    checker.deadly, checker.stops_by = {kernels[0].pk}, MemoryError("half of \ud800 and \0")

    tried(run)

    assert run.attempts == 1
    assert run.state == RunState.QUEUED
    assert run.message == "MemoryError: half of \ufffd and \ufffd"


def test_an_internal_error_of_the_judge_gives_a_crashed_verdict() -> None:
    def read() -> ItemFinding:
        raise RecursionError("too deep")

    finding = judged(read)

    assert finding.verdict == Verdict.CRASHED
    assert finding.message == "the judge failed on this item: RecursionError: too deep"
