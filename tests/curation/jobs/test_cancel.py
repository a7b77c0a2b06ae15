"""A cancelled run ends at once, its process soon after, and nothing takes it up again."""

import signal
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import django_rq
import pytest
from django.utils import timezone

from curation.jobs import heartbeat
from curation.jobs.attempt import Attempt, LeaseLost, carry_out, claim
from curation.jobs.cancel import NotCancelled, cancel
from curation.jobs.enqueue import enqueue
from curation.jobs.sweep import Swept, sweep
from curation.models import ExportRun, IngestRun, Run, RunState, ValidationRun
from tests import factories as make
from tests.waiting import wait_for

KINDS: list[Callable[..., Run]] = [
    make.an_ingest_run, make.a_validation_run, make.an_export_run,
]  # fmt: skip
each_kind = pytest.mark.parametrize("a_run", KINDS, ids=lambda a_run: a_run.__name__)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue_redis")]


@pytest.fixture
def quick_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.5)


def expire(run: Run) -> None:
    """Let an hour pass for `run`, as after a kill -9 of its worker."""
    long_ago = timezone.now() - timedelta(hours=1)
    rows = type(run)._default_manager.filter(pk=run.pk)
    rows.update(handed_over_at=long_ago)
    rows.filter(state=RunState.RUNNING).update(lease_until=long_ago)


@each_kind
def test_cancelling_a_queued_run_records_the_user_and_removes_the_job(
    a_run: Callable[..., Run],
) -> None:
    run, ada = a_run(), make.a_curator(username="ada")
    enqueue(run)

    cancel(run, by=ada)

    run.refresh_from_db()
    assert (run.state, run.cancelled_by, run.message) == ("cancelled", ada, "Cancelled by ada.")
    assert run.finished_at is not None
    assert django_rq.get_queue(run.QUEUE).get_job_ids() == []


@each_kind
def test_the_attempt_of_a_cancelled_run_can_not_write(a_run: Callable[..., Run]) -> None:
    run = a_run()
    attempt = claim(type(run), run.pk)
    assert attempt is not None

    cancel(run)

    run.refresh_from_db()
    assert (run.state, run.attempt_token, run.lease_until) == ("cancelled", None, None)
    for write in (attempt.renew, partial(attempt.tell, "read", 1), attempt.succeed):
        with pytest.raises(LeaseLost):
            write()


@each_kind
def test_the_sweeper_does_not_requeue_a_cancelled_run_of_a_killed_worker(
    a_run: Callable[..., Run],
) -> None:
    run = a_run()
    assert claim(type(run), run.pk)
    expire(run)

    cancel(run)
    expire(run)

    assert sweep() == Swept()
    assert claim(type(run), run.pk) is None
    assert django_rq.get_queue(run.QUEUE).get_job_ids() == []


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED])
def test_an_ended_run_is_not_cancelled(state: RunState) -> None:
    run = make.an_ingest_run(state=state, finished_at=timezone.now(), message="as it ended")

    with pytest.raises(NotCancelled, match=f"has ended already: it is {state}"):
        cancel(run)

    run.refresh_from_db()
    assert (run.state, run.message) == (state, "as it ended")


def test_a_run_can_be_cancelled_without_redis(no_redis: None) -> None:
    run = make.an_ingest_run()

    cancel(run)

    run.refresh_from_db()
    assert run.state == RunState.CANCELLED


@each_kind
def test_a_cancelled_job_without_progress_is_interrupted_within_seconds(
    a_run: Callable[..., Run], quick_beats: None
) -> None:
    run, cleaned_up = a_run(), []

    def work(run: Any, attempt: Attempt[Any]) -> None:
        cancel(run)
        try:
            time.sleep(60)
        finally:
            cleaned_up.append(True)

    before = signal.getsignal(heartbeat.INTERRUPT)
    began = time.monotonic()
    carry_out(type(run), run.pk, work)
    seconds = time.monotonic() - began

    run.refresh_from_db()
    # Two beats, and not the minute that it would sleep.
    assert seconds < 20
    assert (run.state, cleaned_up) == ("cancelled", [True])
    assert "was cancelled" in run.log
    assert signal.getsignal(heartbeat.INTERRUPT) == before


def test_a_cancellation_is_not_caught_by_the_error_handling_of_a_file(quick_beats: None) -> None:
    run, files = make.an_ingest_run(), []

    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        cancel(run)
        for file in range(3):
            try:
                time.sleep(30)
            except Exception:  # noqa: BLE001 - as a file that can't be parsed would raise
                files.append(file)

    carry_out(IngestRun, run.pk, work)

    assert files == []


def test_a_job_may_continue_after_its_run_succeeded(quick_beats: None) -> None:
    run, later = make.an_ingest_run(), []

    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        attempt.succeed()
        time.sleep(4 * heartbeat.BEAT_SECONDS)
        later.append(True)

    carry_out(IngestRun, run.pk, work)

    run.refresh_from_db()
    assert (run.state, later) == ("succeeded", [True])


def test_the_heartbeat_writes_deferred_progress(quick_beats: None) -> None:
    run, seen = make.an_export_run(), []

    def work(run: ExportRun, attempt: Attempt[ExportRun]) -> None:
        attempt.tell_later("pairs weighed", 7)
        rows = ExportRun.objects.filter(pk=run.pk)
        wait_for("the heartbeat writes", lambda: rows.filter(log__contains="weighed").exists())
        row = rows.get()
        seen.append((row.stage, row.done, "pairs weighed" in row.log))
        attempt.succeed()

    carry_out(ExportRun, run.pk, work)

    assert seen == [("pairs weighed", 7, True)]


def test_the_pace_is_measured_from_the_start_of_each_stage() -> None:
    run = make.a_validation_run(total=100)
    attempt = claim(ValidationRun, run.pk)
    assert attempt is not None

    attempt.tell("starting", 40, 100)
    attempt.tell("checking", 40, 100)
    ValidationRun.objects.update(stage_started_at=timezone.now() - timedelta(seconds=30))
    attempt.tell("checking", 70, 100)

    run.refresh_from_db()
    assert run.stage_from == 40
    assert run.percent == 70
    assert run.remaining is not None
    assert 29 <= run.remaining.total_seconds() <= 32
