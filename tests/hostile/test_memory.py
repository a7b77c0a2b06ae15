"""Programs that take all memory they can get meet a bound on the sum of what they hold: in the
sandbox, in the harness and in the compile check."""

import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.held_memory import Peak, measured
from tests.validation.compile import kernels
from tests.validation.harness.sandbox.confining import begin, levels
from tests.validation.harness.whole_entries import whole_entry
from tests.waiting import DEADLINE, wait_for
from validation.compile import CompileAnswer, Compiled, Judge, Unit
from validation.harness.entry import Entry
from validation.harness.options import Options
from validation.harness.pool import questions
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.sandbox import Level, kill, memory, memory_bound
from validation.harness.schedule import check

pytestmark = [pytest.mark.parametrize("level", levels()), pytest.mark.slow]

MEBIBYTE = 1 << 20
# Each program tries to hold 1,536 MiB.
MEMORY = 512 * MEBIBYTE
# A look comes every 50 ms: a processor fills so much in the meantime, a busy one at most.
MARGIN = 512 * MEBIBYTE
SCRATCH = 64 * MEBIBYTE
SECONDS = 60
# No process has it.
LARGEST_PID = 1 << 30
PROGRAMS = Path(__file__).parent / "memory"
NAMES_ITS_GROUP = "import os\nprint(os.getpgrp(), flush=True)\n"


def program(name: str) -> str:
    return (PROGRAMS / f"{name}.py").read_text()


def ended(name: str, level: Level) -> tuple[int, str, bool, Peak]:
    """Run a program in the sandbox: its status, what it said, whether memory ended it."""
    bounds: dict[str, Any] = {
        "memory": None, "group_memory": MEMORY, "tree_memory": MEMORY, "file_size": 2 << 30,
        "scratch": SCRATCH,
    }  # fmt: skip
    with measured() as peak:
        process = begin(NAMES_ITS_GROUP + program(name), level, **bounds)
        try:
            said, complaint = process.communicate(timeout=SECONDS)
            for_memory = process.bound.ended_for(int(said)) == "memory"
        finally:
            kill(process)
    return process.returncode, complaint.decode(), for_memory, peak


@pytest.mark.parametrize("name", ["allocating", "shared_mapping", "many_processes"])
def test_a_program_above_its_memory_limit_is_killed(level: Level, name: str) -> None:
    status, complaint, for_memory, peak = ended(name, level)

    assert (status, for_memory) == (128 + signal.SIGKILL, True), complaint
    assert peak.tree < MEMORY + MARGIN


def test_a_program_can_not_create_a_memory_file(level: Level) -> None:
    status, complaint, _, peak = ended("memory_file", level)

    assert status == 1
    assert "PermissionError" in complaint
    assert peak.tree < MEMORY


def test_files_in_the_scratch_folder_are_limited(level: Level) -> None:
    status, complaint, _, peak = ended("scratch_files", level)

    assert status != 0
    assert "No space left" in complaint or "more than its scratch" in complaint
    assert peak.tree < SCRATCH + MARGIN


def test_the_largest_group_is_killed_when_the_total_memory_is_exceeded(level: Level) -> None:
    bounds: dict[str, Any] = {
        "memory": None, "group_memory": 1 << 30, "tree_memory": MEMORY, "scratch": SCRATCH,
    }  # fmt: skip
    with measured() as peak:
        process = begin(program("three_groups"), level, **bounds)
        try:
            said, complaint = process.communicate(timeout=SECONDS)
        finally:
            kill(process)

    assert said.split() == [b"0", b"-9", b"0"], complaint
    assert peak.tree < MEMORY + MARGIN


def entry(name: str) -> Entry:
    """An honest pair of that name, or one that first runs a program in its Triton side."""
    before = program(name) if name != "honest" else ""
    made = whole_entry("2 * x", "scaled(x, 2.0)", id=name, origin=name)
    return replace(made, triton_code=before + made.triton_code)


def judged(names: list[str], options: Options) -> tuple[dict[str, Report], Peak]:
    with measured() as peak:
        reports = {report.id: report for report in check(map(entry, names), options)}
    return reports, peak


def test_an_entry_above_its_memory_limit_crashes_and_its_neighbor_passes(level: Level) -> None:
    bombs = ["allocating", "shared_mapping", "result_file"]
    options = Options(jobs=2, level=level, memory=MEMORY, timeout=DEADLINE)

    reports, peak = judged([*bombs, "memory_file", "scratch_files", "honest"], options)

    said = {name: (report.verdict, report.message) for name, report in reports.items()}
    assert said["honest"][0] is Verdict.PASSED, said
    for name in bombs:
        assert said[name][0] is Verdict.CRASHED, said
        assert "used more memory than it may" in said[name][1]
    assert "Operation not permitted" in said["memory_file"][1]
    assert said["scratch_files"] == (Verdict.CRASHED, "it wrote more files than it may")
    assert peak.group < MEMORY + MARGIN


def test_a_kernel_above_the_memory_limit_loses_only_its_own_verdict(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "MEMORY", MEMORY)
    names = ["allocating", "shared_mapping", "many_processes", "memory_file", "scratch_files"]
    units = [
        Unit(number, program(name) + kernels.ADD, "kernel") for number, name in enumerate(names)
    ]

    with measured() as peak, Judge(seconds=10, parallel=2, level=level) as judge:
        honest = Unit(len(names), kernels.ADD, "kernel")
        done: dict[int, Compiled] = {u.key: o for u, o in judge.compile([*units, honest])}

    assert done[honest.key].answer is CompileAnswer.COMPILES
    for number, name in enumerate(names[:3]):
        assert done[number].message == "it used more memory than it may", name
    assert "Operation not permitted" in done[3].message
    assert peak.group < MEMORY + MARGIN


def test_the_environment_names_the_memory_limit_mechanism(level: Level) -> None:
    bound = memory_bound(level)

    assert bound == "cgroup" or bound.startswith("watched, no cgroup here: ")
    assert WorkerPool(Options(level=level)).environment()["memory"] == bound
    with Judge(level=level) as judge:
        assert judge.environment.memory == bound


def in_cgroup(level: Level) -> None:
    if (bound := memory_bound(level)) != "cgroup":
        pytest.skip(bound)


def test_a_sandbox_has_a_cgroup_for_as_long_as_it_runs(level: Level) -> None:
    in_cgroup(level)
    left = memory.parent_cgroup() / f"{memory.NAME}-{LARGEST_PID}-1"
    left.mkdir()
    waits = "print('on', flush=True); input()"
    process = begin(waits, level, stdin=subprocess.PIPE, tree_memory=MEMORY, scratch=SCRATCH)
    assert process.stdout
    assert process.stdout.readline() == b"on\n"

    [group] = memory.parent_cgroup().glob(f"{memory.NAME}-{os.getpid()}-*")
    assert int((group / "memory.max").read_text()) == MEMORY + SCRATCH
    assert (group / "pids.max").read_text() == "24\n"
    assert len((group / "cgroup.procs").read_text().split()) == 1
    # A process that is gone left it.
    assert not left.exists()
    kill(process)
    assert not group.exists()


def test_the_cgroup_limit_kills_what_the_watchdog_misses(level: Level) -> None:
    in_cgroup(level)
    waits = f"{NAMES_ITS_GROUP}input()\n{program('allocating')}"
    bounds: dict[str, Any] = {"memory": None, "tree_memory": MEMORY, "scratch": SCRATCH}
    process = begin(waits, level, stdin=subprocess.PIPE, **bounds)
    assert process.stdout
    assert process.stdin
    try:
        pid = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGSTOP)
        with measured() as peak:
            process.stdin.write(b"\n")
            process.stdin.flush()
            wait_for("the kernel ends it", lambda: process.bound.ended_for(pid), SECONDS)
    finally:
        os.kill(process.pid, signal.SIGCONT)
        kill(process)

    assert peak.tree < MEMORY + SCRATCH + 64 * MEBIBYTE


on_a_gpu = pytest.mark.skipif(
    not Path("/dev/nvidia0").exists() or not shutil.which("nvidia-smi"), reason="no GPU"
)


def skip_where_cuda_does_not_start(level: Level) -> None:
    if level is Level.LANDLOCK:
        pytest.skip("CUDA does not start at the Landlock level")


@on_a_gpu
def test_an_entry_can_not_use_more_than_its_share_of_gpu_memory(level: Level) -> None:
    skip_where_cuda_does_not_start(level)
    options = Options(device="cuda", jobs=2, level=level, gpu_memory=0.1)
    reports, _ = judged(["on_gpu", "honest"], options)

    said = {name: (report.verdict, report.message) for name, report in reports.items()}
    assert said["honest"][0] is Verdict.PASSED, said
    assert said["on_gpu"][0] is not Verdict.PASSED, said
    assert "out of memory" in said["on_gpu"][1], said


@on_a_gpu
def test_pinned_memory_of_a_gpu_entry_is_limited(level: Level) -> None:
    skip_where_cuda_does_not_start(level)
    reports, _ = judged(["pinned", "honest"], Options(device="cuda", jobs=2, level=level))

    said = {name: (report.verdict, report.message) for name, report in reports.items()}
    assert said["honest"][0] is Verdict.PASSED, said
    assert said["pinned"][0] is not Verdict.PASSED, said
