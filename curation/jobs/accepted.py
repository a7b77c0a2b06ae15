"""Allowlist of the jobs that are accepted from Redis.

Attack: rq imports and calls any function and callbacks that a job names. It posts to the job's
webhooks, and unpickles the job's metadata if a reader names no serializer. So anyone who can write
to Redis could run programs as the worker, and as the web process, which reads the job of a
cancelled run.

Defense: every job that is read from Redis passes through `Job.restore`, so the check is there. rq's
`JOB_CLASS` would not suffice: registries and executions use `Job` itself. A refused job is deleted
before anything of it is imported, and its reader sees no job. If it belonged to a queued run, the
sweeper enqueues that run again.
"""

import json
import logging
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from django.apps import apps
from redis import Redis
from rq.exceptions import NoSuchJobError, TimeoutFormatError
from rq.job import Job, parse_job_id
from rq.serializers import JSONSerializer

from curation.models import Run

log = logging.getLogger(__name__)

# Fields that rq writes for a job without options. All other fields must be empty, such as
# callbacks, webhooks, metadata, dependencies, groups, repetitions and retries.
FIELDS = {
    "created_at", "data", "description", "ended_at", "enqueued_at", "exc_info", "failure_ttl",
    "last_heartbeat", "origin", "result_ttl", "started_at", "status", "timeout", "worker_name",
}  # fmt: skip
# Maximum number of bytes of an unpacked call, which names one function and one number.
LONGEST = 500

_restore = Job.restore


def guard_jobs() -> None:
    """Patch rq in this process, so that all code reads only jobs that this project enqueues."""
    Job.restore = restore  # type: ignore[method-assign, assignment]
    Job.fetch = classmethod(fetch)  # type: ignore[method-assign, assignment]
    Job.fetch_many = classmethod(fetch_many)  # type: ignore[method-assign, assignment]


def restore(job: Job, raw: Mapping[bytes, bytes]) -> None:
    """Fill `job` from its hash. Raise NoSuchJobError if it is missing or not allowed."""
    try:
        if b"data" in raw:
            _check(raw)
        # Set it here, because some callers name no serializer, and rq's default is pickle.
        job.serializer = JSONSerializer
        _restore(job, raw)
    except (ValueError, TypeError, AssertionError, RecursionError, TimeoutFormatError) as error:
        job.connection.delete(job.key)
        log.warning("The job %s was refused and removed: %s", job.id, error)
        raise NoSuchJobError(f"The job {job.id} was refused.") from error


def fetch(cls: type[Job], id: str, connection: Redis | None = None, serializer: Any = None) -> Job:
    """Return the job. Raise NoSuchJobError if the id is malformed.

    The ValueError that rq raises would end the worker, and the next worker would read the same id.
    """
    try:
        job = cls(parse_job_id(id), connection=connection, serializer=JSONSerializer)
    except ValueError as error:
        raise NoSuchJobError(f"No job has the id {id[:100]!r}.") from error
    job.refresh()  # type: ignore[no-untyped-call]
    return job


def fetch_many(
    cls: type[Job], job_ids: Iterable[str], connection: Redis, serializer: Any = None
) -> list[Job | None]:
    """Return the job of each id, or None if it is refused, so that other jobs are still read."""
    return [_fetched(cls, job_id, connection) for job_id in job_ids]


def _fetched(cls: type[Job], job_id: str, connection: Redis) -> Job | None:
    try:
        return cls.fetch(job_id, connection=connection)
    except NoSuchJobError:
        return None


def _check(raw: Mapping[bytes, bytes]) -> None:
    more = sorted({name.decode() for name, value in raw.items() if value} - FIELDS)
    if more:
        raise ValueError(f"it has the fields {', '.join(more)[:100]!r}")
    match json.loads(_unpacked(raw[b"data"])):
        case [str(name), None, list(arguments), dict(named)] if name in _names():
            if named or [type(argument) for argument in arguments] != [int]:
                raise ValueError("its argument is not one primary key")
        case _:
            raise ValueError("it calls no job of this project")


def _unpacked(data: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, LONGEST)
    except zlib.error as error:
        raise ValueError("its call is not compressed") from error
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError(f"its call has more than {LONGEST} bytes")
    return text


@cache
def _names() -> frozenset[str]:
    return frozenset(model.JOB for model in apps.get_models() if issubclass(model, Run))
