"""A host whose clock is an hour off takes no lease from another, and loses none of its own."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import redis
from django.db.models import F
from django.utils import timezone

from curation.jobs.attempt import claim
from curation.jobs.cancel import cancel, stop_cancelled
from curation.jobs.duty import Duty, is_held
from curation.jobs.enqueue import enqueue
from curation.jobs.sweep import Swept, sweep
from curation.models import IngestRun, Lease, RunState
from tests import factories as make
from tests.waiting import DEADLINE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue_redis")]

HOUR = timedelta(hours=1)
FIRST = Duty("scheduler", seconds=60, holder="one:1")
SECOND = Duty("scheduler", seconds=60, holder="two:2")
# The clock of the host that is wrong.
OFF = pytest.mark.parametrize("off", [HOUR, -HOUR, 0 * HOUR], ids=["ahead", "behind", "right"])


@contextmanager
def clock(off: timedelta) -> Iterator[None]:
    """As on a host whose clock is `off`; the database's is right."""
    now, seconds = timezone.now, time.time
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: now() + off)
        patch.setattr(time, "time", lambda: seconds() + off.total_seconds())
        yield


@pytest.fixture
def run() -> IngestRun:
    return make.an_ingest_run()


@OFF
def test_a_sweeper_with_a_wrong_clock_requeues_only_dead_runs(
    run: IngestRun, off: timedelta
) -> None:
    dead = make.an_ingest_run()
    for row in (run, dead):
        assert claim(IngestRun, row.pk)
    IngestRun.objects.filter(pk=dead.pk).update(lease_until=timezone.now() - timedelta(seconds=9))

    with clock(off):
        assert sweep() == Swept(requeued=1)
        assert sweep() == Swept()

    run.refresh_from_db()
    assert run.state == RunState.RUNNING


@OFF
def test_a_worker_with_a_wrong_clock_keeps_its_claimed_run(run: IngestRun, off: timedelta) -> None:
    with clock(off):
        attempt = claim(IngestRun, run.pk)
        assert attempt
    assert sweep() == Swept()

    with clock(off):
        attempt.renew(done=7)
        assert attempt.beat()
    assert sweep() == Swept()

    with clock(off):
        attempt.give_up("The disk is gone.")
    assert sweep() == Swept(requeued=1)


@OFF
def test_a_sweeper_with_a_wrong_clock_hands_over_only_lost_jobs(
    run: IngestRun, queue_redis: redis.Redis, off: timedelta
) -> None:
    with clock(off):
        assert sweep() == Swept()

    IngestRun.objects.update(handed_over_at=F("handed_over_at") - timedelta(minutes=5))
    with clock(off):
        assert sweep() == Swept(handed_over=1)
        queue_redis.flushall()
        assert sweep() == Swept()
    assert sweep() == Swept()


@OFF
def test_a_scheduler_with_a_wrong_clock_respects_the_lease_of_another(off: timedelta) -> None:
    assert FIRST.take()

    with clock(off):
        assert is_held(FIRST.name)
        assert not SECOND.take()


@OFF
def test_a_scheduler_with_a_wrong_clock_holds_its_lease_until_it_dies(off: timedelta) -> None:
    with clock(off):
        assert FIRST.take()
        assert FIRST.take()
    assert not SECOND.take()

    Lease.objects.update(expires_at=F("expires_at") - timedelta(seconds=61))
    with clock(off):
        assert not is_held(FIRST.name)
        assert SECOND.take()


def test_a_standby_takes_a_released_lease() -> None:
    FIRST.take()
    SECOND.release()
    assert not SECOND.take()

    FIRST.release()

    assert SECOND.take()
    assert not FIRST.take()


def cancelled(run: IngestRun, worker: str, queue_redis: redis.Redis) -> None:
    """Cancel a run that is in the hands of this worker."""
    enqueue(run)
    assert claim(IngestRun, run.pk)
    for name, value in (("status", "started"), ("worker_name", worker)):
        queue_redis.hset(f"rq:job:{run.job_of(1)}", name, value)
    cancel(run, name="tests")


@OFF
def test_a_scheduler_with_a_wrong_clock_stops_a_cancelled_process_on_time(
    run: IngestRun, queue_redis: redis.Redis, off: timedelta
) -> None:
    cancelled(run, "one", queue_redis)
    with clock(off):
        assert stop_cancelled(IngestRun) == 0

    IngestRun.objects.update(finished_at=F("finished_at") - timedelta(minutes=1))
    with clock(off), queue_redis.pubsub() as worker:  # type: ignore[no-untyped-call]
        worker.subscribe("rq:pubsub:one")
        worker.get_message(timeout=DEADLINE)
        assert stop_cancelled(IngestRun) == 1


def test_a_cancelled_job_whose_worker_is_gone_is_left_alone(
    run: IngestRun, queue_redis: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    cancelled(run, "gone", queue_redis)
    IngestRun.objects.update(finished_at=F("finished_at") - timedelta(minutes=1))

    assert stop_cancelled(IngestRun) == 0
    assert "its process is killed" not in caplog.text
