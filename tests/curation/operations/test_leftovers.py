"""What a dead `up` left behind is found by its mark, and ended."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from curation.operations import leftovers
from tests.waiting import DEADLINE

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "print('up', flush=True); time.sleep(60)"
)


@pytest.fixture
def left(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        [sys.executable, "-ISc", STUBBORN],
        env=dict(os.environ) | leftovers.mark(tmp_path, "web"),
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        yield process
        process.kill()


def test_a_leftover_process_is_found_by_data_folder_and_name(
    tmp_path: Path, left: "subprocess.Popen[bytes]"
) -> None:
    assert leftovers.find(tmp_path) == [left.pid]
    assert leftovers.find(tmp_path, "web") == [left.pid]
    assert leftovers.find(tmp_path, "we") == []
    assert leftovers.find(tmp_path.parent) == []


def test_a_leftover_process_is_killed_after_its_grace_period(
    tmp_path: Path, left: "subprocess.Popen[bytes]"
) -> None:
    began = time.monotonic()

    leftovers.wait_and_kill(tmp_path, 0.2)

    assert time.monotonic() - began >= 0.2
    assert left.wait(DEADLINE) == -9


def test_an_ended_leftover_process_is_not_waited_for(
    tmp_path: Path, left: "subprocess.Popen[bytes]"
) -> None:
    left.kill()
    left.wait()
    began = time.monotonic()

    leftovers.wait_and_kill(tmp_path, 30)

    assert time.monotonic() - began < 10
