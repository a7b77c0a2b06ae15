"""A worker that is killed by -9 in mid-batch: another finishes it, no result is lost or doubled,
and nothing that the first one had started outlives it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.waiting import wait_for

pytestmark = pytest.mark.slow

ROOT = Path(settings.BASE_DIR)
QUICK = ("vector-add", "masked-fill", "leaky-relu", "is-close")
BEGIN = "import django; django.setup(); "
ASK = """
from curation.models import Device
from tests.factories import a_pair
from tests.hostile.zoo.load import honest_entries
from validation.run_requests import request_validation

texts = ("python_code", "triton_code", "test_code")
pairs = [
    a_pair(
        entry_point=entry.entry_point,
        differentiable=entry.differentiable,
        **{name: getattr(entry.code, name) for name in texts},
    )
    for entry in honest_entries()
    if entry.name in %r
]
request_validation(pairs, device=Device.INTERPRETER, hand_over=False)
"""
WORK = "from validation.jobs import validate; validate(1)"
ASK_FOR_KERNELS = """
from curation.models import Device
from tests.factories import a_kernel
from validation.run_requests import request_validation

request_validation([a_kernel() for _ in range(13)], device=Device.COMPILER, hand_over=False)
"""
SWEEP = "from curation.jobs.sweep import sweep; print(sweep().requeued)"


class House:
    """A data folder, and processes that work on it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "CURATION_DATA": str(data),
            "DJANGO_SETTINGS_MODULE": "curation.settings",
            "LEASE_SECONDS": "10",
        }
        self._shell: subprocess.Popen[str] | None = None
        self._environment_of_shell: dict[str, str] = {}

    def stopped_at(self, kernel: int) -> int:
        """One attempt at the first run, by a worker that `kernel` kills."""
        words = [sys.executable, "-m", "tests.hostile.stopping_checker", "1", str(kernel)]
        return subprocess.run(words, cwd=ROOT, env=self.environment, check=False).returncode

    def begin(self, program: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", BEGIN + program],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def done(self, program: str) -> str:
        """Run a program to its end, in the process of those before it, and return its output."""
        if self._shell is None or self.environment != self._environment_of_shell:
            self.stop()
            self._environment_of_shell = dict(self.environment)
            self._shell = subprocess.Popen(
                [sys.executable, "-m", "tests.hostile.shell"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._shell.stdin
        assert self._shell.stdout
        self._shell.stdin.write(json.dumps(program) + "\n")
        self._shell.stdin.flush()
        ended, output = json.loads(self._shell.stdout.readline())
        assert ended, output
        return str(output)

    def stop(self) -> None:
        if self._shell is not None:
            self._shell.communicate()
            self._shell = None

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(self.data / "curation.sqlite3") as database:
            return database.execute(query).fetchall()

    def sweep(self) -> None:
        """Wait for the end of the killed worker's lease, and queue its run again."""
        query = "SELECT lease_until < datetime('now') FROM curation_validationrun"
        wait_for("the lease ends", lambda: self.rows(query) == [(1,)])
        assert "1" in self.done(SWEEP).splitlines()

    def results(self) -> Counter[object]:
        rows = self.rows("SELECT pair_id, verdict FROM curation_validationresult")
        assert {verdict for _, verdict in rows} <= {"passed"}
        return Counter(pair for pair, _ in rows)


@pytest.fixture
def house(tmp_path: Path, migrated: Callable[[Path], Path]) -> Iterator[House]:
    house = House(migrated(tmp_path / "data"))
    yield house
    house.stop()


def test_a_run_of_a_killed_worker_is_finished_by_another_worker(house: House) -> None:
    house.done(ASK % (QUICK,))
    first = house.begin(WORK)
    while not house.results():
        assert first.poll() is None, first.communicate()
        time.sleep(0.05)
    started = descendants(first.pid)

    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()

    assert started
    wait_for("all that it started ends", lambda: not any(map(lives, started)))
    kept = house.results()
    assert 0 < kept.total() < len(QUICK)

    house.sweep()
    house.done(WORK)

    assert house.results() == Counter(range(1, len(QUICK) + 1))
    assert house.rows("SELECT state, attempts, done FROM curation_validationrun") == [
        ("succeeded", 2, len(QUICK))
    ]


def test_a_kernel_that_kills_its_worker_three_times_is_skipped(house: House) -> None:
    house.environment["LEASE_SECONDS"] = "2"
    house.done(ASK_FOR_KERNELS)

    for _ in range(3):
        assert house.stopped_at(3) == -signal.SIGKILL
        house.sweep()
    assert house.stopped_at(3) == 0

    rows = house.rows("SELECT kernel_id, verdict, message FROM curation_validationresult")
    said = "The worker stopped 3 times while it checked this, so it was skipped."
    assert [row for row in rows if row[1] != "passed"] == [(3, "crashed", said)]
    assert {kernel for kernel, *_ in rows} == set(range(1, 14))
    assert house.rows("SELECT state, attempts, done FROM curation_validationrun") == [
        ("succeeded", 4, 13)
    ]


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [pid]
    while waiting:
        more = children.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
