"""The one way to hand a run to Redis."""

import logging
from functools import partial

import django_rq
from django.db import transaction
from redis.exceptions import RedisError

from curation.models import Run

log = logging.getLogger(__name__)


def enqueue(run: Run) -> None:
    """Hand `run` over once the transaction has committed. Its row, not the job, is the promise:
    where Redis is away, the sweeper hands it over later."""
    transaction.on_commit(partial(_hand_over, run))


def _hand_over(run: Run) -> None:
    # "auto" because `on_commit` has waited already; the queue's own waiting loses return values
    # and survives roll-backs in some of its calls.
    try:
        queue = django_rq.get_queue(run.QUEUE, commit_mode="auto")
        queue.enqueue_call(
            run.JOB,
            args=(run.pk,),
            job_id=run.job_id,
            result_ttl=0,
            failure_ttl=7 * 24 * 3600,
            description=str(run),
        )
    except RedisError as error:
        log.warning("%s waits: Redis can't be reached (%s)", run, error)
