"""Enqueue runs: the only code that creates jobs in Redis."""

import logging
from functools import partial

import django_rq
from django.db import transaction
from redis.exceptions import RedisError

from curation.models import Run, TriedCase

log = logging.getLogger(__name__)


def enqueue(run: Run) -> None:
    """Enqueue `run` once the transaction has committed.

    If Redis is unavailable, the sweeper enqueues it later: the row is the record, not the job.
    """
    transaction.on_commit(partial(_hand_over, run))


def _hand_over(run: Run) -> None:
    # "auto" because `on_commit` has waited already. The queue's own waiting loses return values and
    # survives rollbacks in some of its calls.
    try:
        queue = django_rq.get_queue(run.QUEUE, commit_mode="auto")
        queue.enqueue_call(
            run.JOB,
            args=(run.pk,),
            job_id=run.job_id,
            result_ttl=0,
            failure_ttl=7 * 24 * 3600,
            description=str(run),
            # A person waits for it.
            at_front=isinstance(run, TriedCase),
        )
    except RedisError as error:
        log.warning("%s waits: Redis can't be reached (%s)", run, error)
