"""The kernel's Landlock decides whether programs of one sandbox may run at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.validation.harness.sandbox.confining import confinement
from validation.harness.options import Options
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.sandbox import Level, restrictions
from validation.harness.sandbox.seal import LEAST_VERSION, confined_by, domain, is_separable


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (0, "bubblewrap, one program at a time"),
        # Triton's cache moves files between folders, which this version refuses.
        (1, "bubblewrap, one program at a time"),
        (2, "bubblewrap"),
        (7, "bubblewrap"),
    ],
)
def test_without_landlock_programs_run_one_at_a_time(
    version: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restrictions, "landlock_version", lambda: version)

    assert confined_by(Level.BUBBLEWRAP) == words
    assert is_separable() == (words == "bubblewrap") == (domain(confinement()) is not None)


def test_without_landlock_the_harness_checks_one_entry_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(restrictions, "landlock_version", lambda: 0)

    pool = WorkerPool(Options(jobs=4, level=Level.BUBBLEWRAP))

    assert pool.options.workers() == 1
    assert pool.options.share == 1
    assert pool.environment()["sandbox"] == "bubblewrap, one program at a time"


def test_a_landlock_domain_allows_only_the_proc_entry_of_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restrictions, "landlock_version", lambda: 7)
    rules = domain(confinement(also=(tmp_path,)))
    gpu = domain(confinement(gpu=True))

    assert rules is not None
    assert gpu is not None
    assert str(tmp_path) in rules["readable"]
    assert not {"/", "/proc", "/tmp", "/dev"} & {*rules["readable"], *gpu["readable"]}
    assert "/proc/self" in rules["readable"]
    assert "/proc/driver" in gpu["readable"] or not os.path.exists("/proc/driver")
    assert f"/proc/{os.getpid()}" not in gpu["readable"]


@pytest.mark.skipif(
    restrictions.landlock_version() < LEAST_VERSION, reason="this kernel has no Landlock"
)
def test_a_folder_without_list_permission_can_be_used_by_file_name(tmp_path: Path) -> None:
    folder = tmp_path / "caches"
    folder.mkdir()
    program = [sys.executable, "-m", "tests.validation.harness.sandbox.unlisted", str(folder)]

    ended = subprocess.run(program, capture_output=True, text=True, cwd=Path(__file__).parents[4])

    assert ended.stdout.split() == ["made", "written", "moved", "read"], ended.stderr
