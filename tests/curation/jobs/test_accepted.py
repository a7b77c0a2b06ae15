"""A worker carries out the project's jobs, and no other entry of its queue in Redis."""

import json
import pickle
import shlex
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings
from rq import Callback, Queue
from rq.job import Dependency, Job
from rq.serializers import JSONSerializer
from rq.webhook import Webhook

from curation.jobs.accepted import guard_jobs
from curation.operations import redis_server
from curation.operations.data_folder import redis_socket
from tests.curation.jobs.touching import MARK, Pickled
from tests.curation.operations.house import environment, manage
from tests.waiting import DEADLINE, wait_for

INGEST = "ingest.jobs.ingest"
TOUCHING = "tests.curation.jobs.touching.call"

Write = Callable[[Queue, Path], Job]


def call(queue: Queue, *call: object) -> Job:
    """A job that is ours but for its call."""
    job = queue.enqueue(INGEST, 999)
    queue.connection.hset(job.key, "data", zlib.compress(json.dumps(call).encode()))
    return job


def field(queue: Queue, name: str, value: bytes) -> Job:
    """A job that is ours but for one field."""
    job = queue.enqueue(INGEST, 999)
    queue.connection.hset(job.key, name, value)
    return job


def pickled(mark: Path) -> bytes:
    return pickle.dumps(Pickled(f"touch {mark}"))


# By the name of each: a job that a person with access to Redis would write.
HOSTILE: dict[str, Write] = {
    "a program": lambda queue, mark: queue.enqueue("os.system", f"touch {mark}"),
    "its other name": lambda queue, mark: queue.enqueue("posix.system", f"touch {mark}"),
    "a module": lambda queue, mark: queue.enqueue(TOUCHING),
    "on success": lambda queue, mark: queue.enqueue(INGEST, 999, on_success=Callback(TOUCHING)),
    "on failure": lambda queue, mark: queue.enqueue(INGEST, "x", on_failure=Callback(TOUCHING)),
    "on stop": lambda queue, mark: queue.enqueue(INGEST, 999, on_stopped=Callback(TOUCHING)),
    "a webhook": lambda queue, mark: queue.enqueue(
        INGEST, 999, webhooks=[Webhook("http://127.0.0.1:9/", "finished")]
    ),
    "a dependency": lambda queue, mark: queue.enqueue(
        INGEST, 999, depends_on=Dependency(["gone"], allow_failure=True)
    ),
    "metadata": lambda queue, mark: queue.enqueue(INGEST, 999, meta={"any": 1}),
    "a text": lambda queue, mark: queue.enqueue(INGEST, f"touch {mark}"),
    "a truth": lambda queue, mark: queue.enqueue(INGEST, True),
    "two numbers": lambda queue, mark: queue.enqueue(INGEST, 999, 2),
    "no number": lambda queue, mark: queue.enqueue(INGEST),
    "a keyword": lambda queue, mark: queue.enqueue(INGEST, kwargs={"pk": 999}),
    "a method": lambda queue, mark: call(queue, "format", "{}", [999], {}),
    "no call": lambda queue, mark: call(queue),
    "a deep call": lambda queue, mark: field(queue, "data", zlib.compress(b"[" * 100_000, 9)),
    "a pickled call": lambda queue, mark: field(queue, "data", zlib.compress(pickled(mark))),
    "no compression": lambda queue, mark: field(queue, "data", b'["os.system", null, [1], {}]'),
    "pickled metadata": lambda queue, mark: field(queue, "meta", pickled(mark)),
    "a pickled result": lambda queue, mark: field(queue, "result", pickled(mark)),
    "no time": lambda queue, mark: field(queue, "timeout", b"for ever"),
    "no date": lambda queue, mark: field(queue, "created_at", b"yesterday"),
    "no state": lambda queue, mark: field(queue, "status", b"dancing"),
    "no text": lambda queue, mark: field(queue, "origin", b"\xff"),
}


@pytest.fixture
def data(migrated: Callable[[Path], Path], tmp_path: Path) -> Path:
    return migrated(tmp_path / "data")


@pytest.fixture
def queue(data: Path) -> Iterator[Queue]:
    socket = redis_socket(data)
    binary = redis_server.choose(print)
    server = subprocess.Popen(redis_server.program(data, socket, binary).arguments)
    try:
        wait_for("Redis answers", lambda: redis_server.answers(socket))
        client = redis.Redis(unix_socket_path=str(socket))
        yield Queue("ingest", connection=client, serializer=JSONSerializer)
    finally:
        server.kill()
        server.wait()


def work(data: Path, mark: Path) -> str:
    """Start the Procfile's worker, have it empty its queues, and return its lines."""
    lines = (settings.BASE_DIR / "Procfile").read_text().splitlines()
    [command] = [line.removeprefix("ingest:") for line in lines if line.startswith("ingest:")]
    _, *arguments = shlex.split(command)
    worker = subprocess.run(
        [sys.executable, *arguments, "--burst"],
        cwd=settings.BASE_DIR,
        env=environment(data, **{MARK: str(mark)}),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    )
    return worker.stdout + worker.stderr


@pytest.mark.slow
def test_a_worker_refuses_foreign_jobs_and_continues(
    data: Path, queue: Queue, kernel_folder: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    refused = [write(queue, mark).id for write in HOSTILE.values()]
    queue.connection.rpush(queue.key, "no id", "")
    assert manage(data, "ingest", str(kernel_folder)).returncode == 0

    lines = work(data, mark)

    assert not mark.exists()
    for job_id, name in zip(refused, HOSTILE, strict=True):
        assert f"The job {job_id} was refused and removed: " in lines, name
    assert queue.connection.keys("rq:job:*") == []
    assert "ingest:1" in manage(data, "runs", "--state", "succeeded").stdout


def test_a_job_of_each_kind_of_run_is_accepted(queue: Queue) -> None:
    for name in (INGEST, "validation.jobs.validate", "curation.export.jobs.export"):
        job = queue.enqueue(name, 1, result_ttl=0, failure_ttl=60, description="ingest of a/b")

        assert queue.fetch_job(job.id) == job


def test_a_refused_job_does_not_hide_other_jobs(queue: Queue, tmp_path: Path) -> None:
    hostile, honest = queue.enqueue("os.system", "true"), queue.enqueue(INGEST, 1)

    assert Job.fetch_many([hostile.id, honest.id], queue.connection) == [None, honest]


def test_guarding_jobs_is_idempotent(queue: Queue) -> None:
    guard_jobs()

    assert queue.fetch_job(queue.enqueue(INGEST, 1).id)
