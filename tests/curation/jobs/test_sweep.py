"""Runs are handed over after commit; what fell out of the queue comes back, once."""

import logging
from datetime import timedelta

import django_rq
import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from curation.jobs.attempt import claim
from curation.jobs.enqueue import enqueue
from curation.jobs.sweep import Swept, sweep
from curation.models import IngestRun, RunState
from tests import factories as make

LONG_AGO = timedelta(hours=1)


pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue_redis")]


@pytest.fixture
def run() -> IngestRun:
    return make.an_ingest_run()


def jobs() -> list[str]:
    return list(django_rq.get_queue("ingest").get_job_ids())


def age(run: IngestRun) -> None:
    """Let an hour pass for `run`."""
    IngestRun.objects.filter(pk=run.pk).update(handed_over_at=timezone.now() - LONG_AGO)
    IngestRun.objects.filter(pk=run.pk, state=RunState.RUNNING).update(
        lease_until=timezone.now() - LONG_AGO
    )


def test_the_sweeper_ignores_a_queued_run_with_a_job_in_redis(run: IngestRun) -> None:
    enqueue(run)
    age(run)

    assert sweep() == Swept()
    assert jobs() == [f"ingestrun-{run.pk}-1"]


def test_the_sweeper_requeues_a_run_whose_worker_died(run: IngestRun) -> None:
    dead = claim(IngestRun, run.pk)
    assert dead is not None
    age(run)

    assert sweep() == Swept(requeued=1)
    assert sweep() == Swept()

    run.refresh_from_db()
    assert (run.state, run.attempt_token, run.attempts) == ("queued", None, 1)
    assert jobs() == [f"ingestrun-{run.pk}-2"]


def test_a_run_that_kills_every_worker_fails_after_the_last_attempt(run: IngestRun) -> None:
    for _ in range(settings.MOST_ATTEMPTS):
        attempt = claim(IngestRun, run.pk)
        assert attempt is not None
        attempt.give_up("MemoryError: a file of 9 GB")
        sweep()

    run.refresh_from_db()
    assert run.state == RunState.FAILED
    assert run.message == (
        "Given up after 3 attempts: each time the worker stopped before it was done. "
        "The last attempt said: MemoryError: a file of 9 GB"
    )


def test_a_run_stays_queued_without_redis(
    run: IngestRun, no_redis: None, caplog: pytest.LogCaptureFixture
) -> None:
    age(run)

    with caplog.at_level(logging.WARNING):
        enqueue(run)
        assert sweep() == Swept()

    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    assert "Redis can't be reached" in caplog.text


def test_a_run_reaches_redis_only_when_its_transaction_commits() -> None:
    queue = django_rq.get_queue("ingest")
    with transaction.atomic():
        run = make.an_ingest_run()
        enqueue(run)
        assert queue.get_job_ids() == []

    assert queue.get_job_ids() == [run.job_id]


def test_a_job_contains_only_the_primary_key_as_json() -> None:
    run = make.an_ingest_run()
    enqueue(run)

    job = django_rq.get_queue("ingest").fetch_job(run.job_id)
    assert job is not None
    assert (job.func_name, job.args, job.kwargs) == ("ingest.jobs.ingest", [run.pk], {})


def test_a_tried_case_overtakes_the_validations_that_wait() -> None:
    bulk, case = make.a_validation_run(), make.a_tried_case()
    enqueue(bulk)
    enqueue(case)

    assert django_rq.get_queue("validation").get_job_ids() == [case.job_id, bulk.job_id]


def test_enqueueing_a_run_twice_creates_one_job() -> None:
    run = make.an_ingest_run()
    enqueue(run)
    enqueue(run)

    assert set(django_rq.get_queue("ingest").get_job_ids()) == {run.job_id}
