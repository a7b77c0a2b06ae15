"""What fell out of the queue comes back, once."""

import logging
from datetime import timedelta

import django_rq
import pytest
import redis
from django.conf import settings
from django.utils import timezone

from curation.jobs.attempt import claim
from curation.jobs.enqueue import enqueue
from curation.jobs.sweep import Swept, sweep
from curation.models import IngestRun, Repository, RunState

LONG_AGO = timedelta(hours=1)


@pytest.fixture
def run(transactional_db: None) -> IngestRun:
    repository = Repository.objects.create(name="a/b", url="https://github.com/a/b")
    return IngestRun.objects.create(repository=repository)


def jobs() -> list[str]:
    return list(django_rq.get_queue("ingest").get_job_ids())


def age(run: IngestRun) -> None:
    """Let an hour pass for `run`."""
    IngestRun.objects.filter(pk=run.pk).update(handed_over_at=timezone.now() - LONG_AGO)
    IngestRun.objects.filter(pk=run.pk, state=RunState.RUNNING).update(
        lease_until=timezone.now() - LONG_AGO
    )


def test_the_sweeper_ignores_a_queued_run_with_a_job_in_redis(
    run: IngestRun, queue_redis: redis.Redis
) -> None:
    enqueue(run)
    age(run)

    assert sweep() == Swept()
    assert jobs() == [f"ingestrun-{run.pk}-1"]


def test_the_sweeper_hands_a_run_lost_by_redis_over_once(
    run: IngestRun, queue_redis: redis.Redis
) -> None:
    enqueue(run)
    queue_redis.flushall()
    age(run)

    assert sweep() == Swept(handed_over=1)
    assert sweep() == Swept()
    assert jobs() == [f"ingestrun-{run.pk}-1"]


def test_the_sweeper_ignores_a_run_queued_just_now(
    run: IngestRun, queue_redis: redis.Redis
) -> None:
    assert sweep() == Swept()
    assert jobs() == []


def test_the_sweeper_requeues_a_run_whose_worker_died(
    run: IngestRun, queue_redis: redis.Redis
) -> None:
    dead = claim(IngestRun, run.pk)
    assert dead is not None
    age(run)

    assert sweep() == Swept(requeued=1)
    assert sweep() == Swept()

    run.refresh_from_db()
    assert (run.state, run.attempt_token, run.attempts) == ("queued", None, 1)
    assert jobs() == [f"ingestrun-{run.pk}-2"]


def test_the_sweeper_ignores_a_run_whose_worker_lives(
    run: IngestRun, queue_redis: redis.Redis
) -> None:
    assert claim(IngestRun, run.pk)

    assert sweep() == Swept()


def test_a_run_that_kills_every_worker_fails_after_the_last_attempt(
    run: IngestRun, queue_redis: redis.Redis
) -> None:
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
    run: IngestRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for queue in settings.RQ_QUEUES.values():
        monkeypatch.setitem(queue, "URL", "unix:///nowhere/redis.sock")
    age(run)

    with caplog.at_level(logging.WARNING):
        enqueue(run)
        assert sweep() == Swept()

    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    assert "Redis can't be reached" in caplog.text
