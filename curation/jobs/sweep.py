"""Sweeper: finds runs that fell out of the queue and enqueues them again. Idempotent.

There are two faults. If a worker dies, its lease runs out. If Redis loses a job, a queued row has
no job. The rows show both faults, and compare-and-set repairs them. Only the database's clock is
used, because a host with a wrong clock would requeue live runs.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta

import django_rq
from django.apps import apps
from django.conf import settings
from django.db.models.functions import Now
from django.utils import timezone
from redis.exceptions import RedisError

from curation.jobs.cancel import stop_cancelled
from curation.jobs.enqueue import enqueue
from curation.models import Run, RunState

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Swept:
    """Counts of one sweep, for the log and for tests."""

    requeued: int = 0
    ended: int = 0
    handed_over: int = 0


def sweep() -> Swept:
    """Check each live run."""
    swept = Swept()
    for model in apps.get_models():
        if issubclass(model, Run):
            _requeue_expired(model, swept)
            _requeue_lost(model, swept)
            stop_cancelled(model)
    return swept


def _requeue_expired(model: type[Run], swept: Swept) -> None:
    """Requeue the runs of dead workers. After too many attempts, end them instead."""
    rows = model._default_manager.filter(state=RunState.RUNNING, lease_until__lte=Now()).order_by(
        "pk"
    )
    for run in rows:
        held = model._default_manager.filter(
            pk=run.pk,
            state=RunState.RUNNING,
            attempt_token=run.attempt_token,
            lease_until__lte=Now(),
        )
        if run.attempts >= run.most_attempts:
            last = f" The last attempt said: {run.message}" if run.message else ""
            swept.ended += held.update(
                state=RunState.FAILED,
                attempt_token=None,
                lease_until=None,
                finished_at=timezone.now(),
                message=f"Given up after {run.attempts} attempts: each time the worker stopped "
                f"before it was done.{last}",
            )
        elif held.update(
            state=RunState.QUEUED,
            attempt_token=None,
            lease_until=None,
            handed_over_at=Now(),
        ):
            swept.requeued += 1
            log.warning("%s is queued again: its worker stopped", run)
            enqueue(run)


def _requeue_lost(model: type[Run], swept: Swept) -> None:
    """Enqueue runs again that have waited long and have no job in Redis."""
    since = Now() - timedelta(seconds=settings.LOST_JOB_SECONDS)
    rows = list(
        model._default_manager.filter(state=RunState.QUEUED, handed_over_at__lte=since).order_by(
            "pk"
        )
    )
    if not rows:
        return
    try:
        waiting = set(django_rq.get_queue(model.QUEUE).get_job_ids())
    except RedisError as error:
        log.warning("Redis can't be reached: %d queued runs wait (%s)", len(rows), error)
        return
    for run in rows:
        if run.job_id in waiting:
            continue
        # If a worker took the job just now, this enqueues it twice. Only one claim can succeed.
        seen = model._default_manager.filter(
            pk=run.pk, state=RunState.QUEUED, handed_over_at__lte=since
        )
        if seen.update(handed_over_at=Now()):
            swept.handed_over += 1
            log.warning("%s is handed over again: its job was lost", run)
            enqueue(run)
