"""Runs that are cancelled while real workers carry them out, also after a kill -9: the process and
all that it started end within seconds, nothing is lost, and nothing takes the run up again."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from curation.operations.redis_server import answers, choose
from tests.hostile.test_validation_killed import ASK, BEGIN, ROOT, House, descendants, lives
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

log = logging.getLogger(__name__)

# Between the answer to a person who cancels and the end of the last process: a heartbeat of two
# seconds, then the clean-up, on a busy machine.
SECONDS = 15.0
WORKER = (
    "rqworker", "ingest", "validation", "default", "--serializer",
    "rq.serializers.JSONSerializer", "--worker-ttl", "60",
)  # fmt: skip
# Its code waits in the sandbox, and reports nothing meanwhile.
SLOW = """
from curation.models import Pair
pair = Pair.objects.order_by("-pk").first()
slow = "import time; time.sleep(50)\\n" + pair.triton_code
Pair.objects.filter(pk=pair.pk).update(triton_code=slow)
"""
AT_ONCE = """
from curation.models import Pair
for pair in Pair.objects.all():
    at_once = pair.triton_code.partition("\\n")[2]
    Pair.objects.filter(pk=pair.pk).update(triton_code=at_once)
"""
COMPILE = """
from curation.models import Device
from tests.factories import a_kernel
from validation.run_requests import request_validation
request_validation([a_kernel() for _ in range(20)], device=Device.COMPILER, hand_over=False)
"""
EXPORT = """
from curation.models import Status
from tests.factories import a_curator, an_approved_kernel
from curation.export.requests import request_export
an_approved_kernel()
request_export({}, user=a_curator())
"""
EXPORT_SLOWLY = """
import time
from curation.export import select
select.RecordBuilder.records = lambda *_: time.sleep(60)
from curation.export.jobs import export
export(1)
"""
HAND_OVER = """
from curation.models import ValidationRun
from curation.jobs.enqueue import enqueue
enqueue(ValidationRun.objects.get(pk=1))
"""
A_MINUTE_LATER = """
from datetime import timedelta
from django.db.models import F
from curation.models import ValidationRun
ValidationRun.objects.update(finished_at=F("finished_at") - timedelta(minutes=1))
"""
CANCEL = 'from django.core.management import call_command; call_command("cancel", "%s")'
RETRY = 'from django.core.management import call_command; call_command("retry", "%s")'
SWEEP = """
import time
from curation.jobs.sweep import sweep
time.sleep(1.5)
print(sweep())
"""

FILES = 20
# What an ingest writes.
TABLES = {
    "sourcefile": 'path, blob_hash, "commit", retired_at IS NULL',
    "sourcetext": "sha256",
    "kernel": "content_hash, status, standalone",
    "provenance": "source_file_id IS NOT NULL, start_line, end_line, qualname, sha256",
    "drop": "path, reason",
}


class Works(House):
    """A data folder with a Redis and rq workers of its own."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.processes: list[subprocess.Popen[str]] = []

    def redis(self) -> None:
        socket = self.data / "redis.sock"
        binary = choose(print)
        arguments = [str(binary), "--port", "0", "--unixsocket", str(socket), "--save", ""]
        self._start(arguments, self.data)
        wait_for("Redis answers", lambda: answers(socket))

    def worker(self) -> "subprocess.Popen[str]":
        return self._start([sys.executable, str(ROOT / "manage.py"), *WORKER], ROOT)

    def work(self, program: str) -> "subprocess.Popen[str]":
        """A run in a process of its own, as `--now` has it."""
        return self._start([sys.executable, "-c", BEGIN + program], ROOT)

    def state(self, run: str, pk: int = 1) -> tuple[object, ...]:
        [row] = self.rows(f"SELECT state, stage, done FROM curation_{run} WHERE id = {pk}")  # noqa: S608
        return row

    def written(self) -> dict[str, list[tuple[object, ...]]]:
        """The rows of the ingests."""
        return {
            table: sorted(self.rows(f"SELECT {columns} FROM curation_{table}"))  # noqa: S608
            for table, columns in TABLES.items()
        }

    def cancel(self, label: str) -> None:
        """As a person does at a shell; returns when the row says so."""
        self.done(CANCEL % label)

    def _start(self, arguments: list[str], folder: Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            process_group=0,
        )
        self.processes.append(process)
        return process

    def stop_all(self) -> None:
        self.stop()
        for process in reversed(self.processes):
            kill_all([*descendants(process.pid), process.pid])
            process.wait()


def kill_all(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def works(tmp_path: Path, migrated: Callable[[Path], Path]) -> Iterator[Works]:
    works = Works(migrated(tmp_path / "data"))
    yield works
    works.stop_all()


def all_end(works: Works, run: str, pids: list[int], pk: int = 1) -> None:
    """Wait for the end of all of them, counted from the moment at which the run was cancelled."""
    [(ended,)] = works.rows(f"SELECT finished_at FROM curation_{run} WHERE id = {pk}")  # noqa: S608
    cancelled_at = datetime.fromisoformat(str(ended)).replace(tzinfo=UTC).timestamp()
    wait_for("all processes end", lambda: not any(map(lives, pids)), SECONDS)
    seconds = time.time() - cancelled_at
    log.info("%s: %d processes ended after %.1f s", run, len(pids), seconds)
    assert seconds < SECONDS


def is_checking(works: Works, pid: int, run: str = "validationrun") -> Callable[[], bool]:
    """It runs code in a sandbox."""
    return lambda: works.state(run)[1] == "checking" and len(descendants(pid)) >= 4


@pytest.mark.parametrize("stage", ["starting", "checking"])
def test_cancelling_a_compile_run_ends_its_sandbox(works: Works, stage: str) -> None:
    works.done("\n" + COMPILE)
    work = works.work("from validation.jobs import validate; validate(1)")
    wait_for(
        "the sandbox is there",
        lambda: works.state("validationrun")[1] == stage and descendants(work.pid),
    )
    started = descendants(work.pid)

    works.cancel("compile:1")

    all_end(works, "validationrun", [*started, work.pid])
    assert work.wait() == 0
    assert works.state("validationrun")[0] == "cancelled"


def test_an_export_stops_and_leaves_no_folder(works: Works) -> None:
    works.done("\n" + EXPORT)
    work = works.work("\n" + EXPORT_SLOWLY)
    wait_for("the export is at work", lambda: any((works.data / "exports").glob("*/*")))

    works.cancel("export:1")

    all_end(works, "exportrun", [work.pid])
    assert works.state("exportrun")[0] == "cancelled"
    assert list((works.data / "exports").iterdir()) == []


def test_a_worker_continues_with_the_next_run_after_a_cancellation(works: Works) -> None:
    works.redis()
    works.done("\n" + ASK % (("vector-add",),) + SLOW + HAND_OVER)
    worker = works.worker()
    wait_for("code runs in a sandbox", is_checking(works, worker.pid))
    started = descendants(worker.pid)

    works.cancel("validation:1")

    all_end(works, "validationrun", started)
    assert worker.poll() is None
    assert works.rows("SELECT count(*) FROM curation_validationresult") == [(0,)]
    works.done("\n" + AT_ONCE + "\n" + RETRY % "validation:1")
    wait_for("the next run succeeds", lambda: works.state("validationrun", 2)[0] == "succeeded")
    assert works.state("validationrun")[0] == "cancelled"


def test_a_work_horse_of_a_killed_worker_stops_on_cancellation(works: Works) -> None:
    """rq's work-horse outlives a kill -9 of its worker."""
    works.redis()
    works.done("\n" + ASK % (("vector-add",),) + SLOW + HAND_OVER)
    worker = works.worker()
    wait_for("code runs in a sandbox", is_checking(works, worker.pid))
    started = descendants(worker.pid)

    worker.kill()
    worker.wait()
    assert all(map(lives, started))
    works.cancel("validation:1")

    all_end(works, "validationrun", started)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of four kernels: seven batches of files and kernels."""
    folder = tmp_path / "many"
    folder.mkdir()
    for file in range(FILES):
        kernels = "".join(
            f"\n\n@triton.jit\ndef kernel_{file}_{n}(p, n, BLOCK: tl.constexpr):\n"
            f"    at = tl.arange(0, BLOCK)\n    tl.store(p + at, at * {n}, mask=at < n)\n"
            for n in range(4)
        )
        (folder / f"file_{file}.py").write_text(
            f"import triton\nimport triton.language as tl\n{kernels}"
        )
    return folder


def test_retrying_an_interrupted_ingest_gives_the_uninterrupted_result(
    works: Works, folder: Path, tmp_path: Path, migrated: Callable[[Path], Path]
) -> None:
    works.environment["LEASE_SECONDS"] = "1"
    calm = Works(migrated(tmp_path / "calm"))
    call = 'from django.core.management import call_command; call_command("ingest", %r, now=%s)'
    calm.done(call % (str(folder), True))
    calm.stop()
    works.redis()
    works.done(call % (str(folder), False))

    # The first worker is killed with its horse, and the run is cancelled afterwards.
    worker = works.worker()
    wait_for("it reads", lambda: works.state("ingestrun")[1])
    started = descendants(worker.pid)
    kill_all([worker.pid, *started])
    worker.wait()
    works.cancel("ingest:1")
    all_end(works, "ingestrun", started)
    assert "Swept(requeued=0, ended=0, handed_over=0)" in works.done(SWEEP)

    # The second one is cancelled while it works.
    works.environment["LEASE_SECONDS"] = "10"
    works.done(RETRY % "ingest:1")
    worker = works.worker()
    wait_for("it reads", lambda: works.state("ingestrun", 2)[1])
    started = descendants(worker.pid)
    assert started
    works.cancel("ingest:2")
    all_end(works, "ingestrun", started, pk=2)
    assert [works.state("ingestrun", pk)[0] for pk in (1, 2)] == ["cancelled", "cancelled"]

    # The third one comes to its end.
    works.done(RETRY % "ingest:2")
    wait_for("the retry succeeds", lambda: works.state("ingestrun", 3)[0] == "succeeded")
    assert works.written() == calm.written()
    assert len(works.written()["kernel"]) == 4 * FILES
    assert works.rows("SELECT retry_of_id FROM curation_ingestrun ORDER BY id") == [
        (None,), (1,), (2,),
    ]  # fmt: skip


def test_a_hung_process_of_a_cancelled_run_is_killed_by_its_worker(works: Works) -> None:
    """A frozen process does not notice the cancellation: the sweeper asks rq."""
    works.redis()
    works.done("\n" + ASK % (("vector-add",),) + SLOW + HAND_OVER)
    worker = works.worker()
    wait_for("code runs in a sandbox", is_checking(works, worker.pid))
    started = descendants(worker.pid)
    [horse] = children(worker.pid)
    os.kill(horse, signal.SIGSTOP)

    works.cancel("validation:1")
    assert lives(horse)
    works.done("\n" + A_MINUTE_LATER + SWEEP)

    wait_for("all processes end", lambda: not any(map(lives, started)), SECONDS)
    assert worker.poll() is None


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
