"""A run's row moves by compare-and-set, however often and wherever its job is delivered."""

import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from curation.errors import CurationError
from curation.jobs.attempt import Attempt, LeaseLost, carry_out, claim
from curation.jobs.sweep import sweep
from curation.models import IngestRun, Kernel, RunState
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> IngestRun:
    return make.an_ingest_run()


def succeed(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
    attempt.succeed()


def test_a_claimed_run_is_running_with_a_lease(run: IngestRun) -> None:
    attempt = claim(IngestRun, run.pk)

    run.refresh_from_db()
    assert attempt is not None
    assert (run.state, run.attempts, run.attempt_token) == ("running", 1, attempt.token)
    assert run.lease_until is not None
    assert run.lease_until > timezone.now()


def test_only_one_of_two_deliveries_gets_the_run(run: IngestRun) -> None:
    assert claim(IngestRun, run.pk) is not None
    assert claim(IngestRun, run.pk) is None


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED])
def test_a_job_delivered_after_its_run_ended_changes_nothing(
    run: IngestRun, state: RunState
) -> None:
    IngestRun.objects.filter(pk=run.pk).update(state=state, finished_at=timezone.now())
    before = IngestRun.objects.filter(pk=run.pk).values().get()

    carry_out(IngestRun, run.pk, succeed)

    assert IngestRun.objects.filter(pk=run.pk).values().get() == before


def test_a_job_for_a_deleted_run_does_nothing() -> None:
    carry_out(IngestRun, 12345, succeed)


def test_an_attempt_without_its_lease_can_neither_renew_nor_end_the_run(run: IngestRun) -> None:
    old = claim(IngestRun, run.pk)
    assert old is not None
    IngestRun.objects.filter(pk=run.pk).update(attempt_token=uuid.uuid4())

    for write in (old.renew, old.succeed, partial(old.fail, "too late")):
        with pytest.raises(LeaseLost):
            write()
    run.refresh_from_db()
    assert run.state == RunState.RUNNING


def test_writes_of_an_attempt_are_rolled_back_when_its_lease_is_lost(run: IngestRun) -> None:
    attempt = claim(IngestRun, run.pk)
    assert attempt is not None
    IngestRun.objects.filter(pk=run.pk).update(attempt_token=uuid.uuid4())

    with pytest.raises(LeaseLost), transaction.atomic():
        Kernel.objects.create(
            content_hash="0" * 64, name="late", kind="entry", standalone=True, lines=1
        )
        attempt.renew()

    assert not Kernel.objects.exists()


def test_an_expected_error_fails_the_run_with_its_message(run: IngestRun) -> None:
    def refuse(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        raise CurationError("There is no folder /nowhere.")

    carry_out(IngestRun, run.pk, refuse)

    run.refresh_from_db()
    assert (run.state, run.message) == ("failed", "There is no folder /nowhere.")


def test_an_unexpected_error_expires_the_lease_for_the_sweeper(run: IngestRun) -> None:
    def break_down(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        carry_out(IngestRun, run.pk, break_down)

    run.refresh_from_db()
    assert run.state == RunState.RUNNING
    assert run.message == "OSError: the disk is gone"
    assert run.lease_until is not None
    assert run.lease_until <= timezone.now()


def test_renewing_a_lease_writes_progress_in_the_same_statement(
    run: IngestRun, django_assert_num_queries: Callable[..., Any]
) -> None:
    attempt = claim(IngestRun, run.pk)
    assert attempt is not None
    IngestRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(1))

    with django_assert_num_queries(1):
        attempt.renew(stage="extract", done=7)

    run.refresh_from_db()
    assert (run.stage, run.done) == ("extract", 7)
    assert run.lease_until is not None
    assert run.lease_until > timezone.now()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_job_silent_for_longer_than_its_lease_keeps_the_lease(settings: Any) -> None:
    """As one does that loads torch on a busy machine."""
    settings.LEASE_SECONDS = 2
    run = make.an_ingest_run()
    swept = []

    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        time.sleep(3)
        swept.append(sweep().requeued)
        attempt.succeed()

    carry_out(IngestRun, run.pk, work)

    run.refresh_from_db()
    assert (swept, run.state, run.attempts) == ([0], RunState.SUCCEEDED, 1)
