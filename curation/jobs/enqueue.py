"""Creation of jobs in Redis for runs. Only this module creates jobs."""

import logging
from functools import partial

import django_rq
from django.db import transaction
from redis.exceptions import RedisError

from curation.models import Run, TriedCase

log = logging.getLogger(__name__)


def enqueue(run: Run) -> None:
    """Enqueue `run` once the transaction has committed.

    If Redis is unavailable, the sweeper enqueues the run later, because its row is queued.
    """
    transaction.on_commit(partial(_hand_over, run))


def _hand_over(run: Run) -> None:
    # Use "auto", because `on_commit` has waited already. If the queue waits itself, some of its
    # calls lose return values or survive a rollback.
    try:
        queue = django_rq.get_queue(run.QUEUE, commit_mode="auto")
        queue.enqueue_call(
            run.JOB,
            args=(run.pk,),
            job_id=run.job_id,
            result_ttl=0,
            failure_ttl=7 * 24 * 3600,
            description=str(run),
            # A person waits for the result of a tried case.
            at_front=isinstance(run, TriedCase),
        )
    except RedisError as error:
        log.warning("%s waits: Redis can't be reached (%s)", run, error)
