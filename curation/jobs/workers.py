"""Workers: those that Redis reports as live, and the retirement of a broken worker."""

from datetime import UTC, datetime, timedelta

import django_rq
from django.conf import settings
from redis.exceptions import RedisError
from rq import Worker, get_current_job
from rq.command import send_shutdown_command

from curation.operations.address import site_address

# Maximum time between two heartbeats of a live worker, also during a long job.
ALIVE = timedelta(seconds=90)


def alive_workers() -> dict[str, int]:
    """Count the live workers of each queue. Raise RedisError if Redis is unavailable."""
    counts = dict.fromkeys(settings.RQ_QUEUES, 0)
    since = datetime.now(UTC) - ALIVE
    for worker in Worker.all(connection=django_rq.get_connection("default")):
        beat = worker.last_heartbeat
        if beat is None or beat.replace(tzinfo=beat.tzinfo or UTC) < since:
            continue
        for name in worker.queue_names():
            counts[name] = counts.get(name, 0) + 1
    return counts


def listeners(queue: str) -> int | None:
    """Return the number of live workers of `queue`, or None if Redis is unavailable."""
    try:
        return alive_workers().get(queue, 0)
    except RedisError:
        return None


def advice(listening: int | None) -> str:
    """Return what to add to "is queued" if no worker would take it.

    `listening` is the result of `listeners`.
    """
    # While the command `up` starts, its workers do not listen yet.
    if listening or site_address(settings.DATA_DIR):
        return ""
    return "; no worker is running: start manage.py up, or add --now"


def retire() -> bool:
    """Stop the current worker after its job. Return False outside of a worker or without Redis."""
    job = get_current_job()
    if job is None or not job.worker_name:
        return False
    try:
        send_shutdown_command(job.connection, job.worker_name)
    except RedisError:
        return False
    return True
