"""The workers: which are alive, as Redis tells it, and the end of one that is no good."""

from datetime import UTC, datetime, timedelta

import django_rq
from django.conf import settings
from redis.exceptions import RedisError
from rq import Worker, get_current_job
from rq.command import send_shutdown_command

from curation.installation.up_lock import site_address

# A worker beats at least this often, also in a long job.
ALIVE = timedelta(seconds=90)


def alive_workers() -> dict[str, int]:
    """How many live workers listen on each queue. Raises RedisError where Redis is away."""
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
    """Return how many live workers listen on `queue`, or None where Redis can't be reached."""
    try:
        return alive_workers().get(queue, 0)
    except RedisError:
        return None


def advice(listening: int | None) -> str:
    """Return what to add to "is queued" if no worker would see it.

    `listening` is what `listeners` returned.
    """
    # While `up` starts, its workers do not listen yet.
    if listening or site_address(settings.DATA_DIR):
        return ""
    return "; no worker is running: start manage.py up, or add --now"


def retire() -> bool:
    """The worker whose job this is takes no other. False: there is none, or Redis is away."""
    job = get_current_job()
    if job is None or not job.worker_name:
        return False
    try:
        send_shutdown_command(job.connection, job.worker_name)
    except RedisError:
        return False
    return True
