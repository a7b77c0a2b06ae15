"""Cancellation of runs: the rows change first, then workers, sweeper and Redis react."""

import logging
from datetime import timedelta
from functools import partial

import django_rq
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from redis import Redis
from redis.exceptions import RedisError
from rq.command import PUBSUB_CHANNEL_TEMPLATE, send_stop_job_command
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import Job

from curation.errors import CurationError
from curation.models import Run, RunState
from curation.models.runs import LIVE

log = logging.getLogger(__name__)

# Time after cancellation at which rq stops a process that still works on the run. The heartbeat of
# the process should have stopped it by then.
PATIENCE = timedelta(seconds=30)
FORGOTTEN = timedelta(minutes=10)


class NotCancelled(CurationError):
    """An error because this run can't be cancelled."""


def cancel(run: Run, *, by: User | None = None, name: str = "") -> None:
    """Cancel a queued or running run. Raise NotCancelled if it has ended.

    The heartbeat of its process stops the work within seconds. Stored results stay.

    name: name of the requester, if there is no `by`.
    """
    rows = type(run)._default_manager.filter(pk=run.pk)
    with transaction.atomic():
        cancelled = rows.filter(state__in=LIVE).update(
            state=RunState.CANCELLED,
            attempt_token=None,
            lease_until=None,
            # The database's clock, because `stop_cancelled` compares with it.
            finished_at=Now(),
            cancelled_by=by,
            message=f"Cancelled by {by.get_username() if by else name or 'an unknown user'}.",
        )
        run.refresh_from_db()
        if not cancelled:
            raise NotCancelled(f"{run.label} has ended already: it is {run.state}.")
        transaction.on_commit(partial(_drop_waiting_job, run))


def stop_cancelled(model: type[Run]) -> int:
    """Let rq kill the processes that still work on cancelled runs. Return their number."""
    rows = model._default_manager.filter(
        state=RunState.CANCELLED,
        attempts__gt=0,
        finished_at__gt=Now() - FORGOTTEN,
        finished_at__lte=Now() - PATIENCE,
    )
    return sum(_stop_job(run) for run in rows.only("pk", "attempts"))


def _drop_waiting_job(run: Run) -> None:
    """Delete the waiting job of a cancelled run. If it is still delivered, its claim fails."""
    try:
        job = _job(run, run.attempts + 1)
        if job is not None and not job.is_started:
            job.delete()
    except RedisError as error:
        log.warning("The job of %s stays in its queue: Redis can't be reached (%s)", run, error)


def _stop_job(run: Run) -> bool:
    try:
        job = _job(run, run.attempts)
        # In Redis, the job of a killed worker keeps the state "started".
        if job is None or not job.is_started or not _listens(job):
            return False
        send_stop_job_command(job.connection, job.id, job.serializer)
    except (RedisError, InvalidJobOperation, NoSuchJobError):
        return False
    log.warning("%s was cancelled and still runs: its process is killed", run)
    return True


def _listens(job: Job) -> bool:
    """Return True if the worker that has the job still receives commands."""
    [(_, listeners)] = job.connection.pubsub_numsub(PUBSUB_CHANNEL_TEMPLATE % job.worker_name)
    return bool(listeners)


def _job(run: Run, attempt: int) -> Job | None:
    connection: Redis = django_rq.get_connection(run.QUEUE)
    serializer = django_rq.get_queue(run.QUEUE).serializer
    try:
        return Job.fetch(run.job_of(attempt), connection=connection, serializer=serializer)
    except NoSuchJobError:
        return None
