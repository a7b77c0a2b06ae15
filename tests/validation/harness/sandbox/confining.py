"""Run a piece of Python in the sandbox and return its output and status."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from validation.harness.sandbox import (
    Confinement,
    Level,
    RunLimits,
    kill,
    probe,
    python_readable,
    restrictions,
    start,
)
from validation.harness.sandbox.launch import LANDLOCK_VERSION, Sandboxed

SECONDS = 30
LIMITS = RunLimits(
    memory=1 << 30, group_memory=1 << 30, tree_memory=1 << 30, cpu_seconds=20, processes=24,
    file_size=16 << 20, open_files=64,
)  # fmt: skip


def levels() -> list[Level]:
    """Return the levels that confine on this host. CI installs bubblewrap."""
    found = [] if probe().level is not Level.BUBBLEWRAP else [Level.BUBBLEWRAP]
    return found + ([Level.LANDLOCK] if restrictions.landlock_version() >= LANDLOCK_VERSION else [])


@dataclass(frozen=True, slots=True)
class Ended:
    said: str
    complaint: str
    status: int


def confinement(**changes: Any) -> Confinement:
    limits = replace(LIMITS, **{k: changes.pop(k) for k in list(changes) if hasattr(LIMITS, k)})
    return Confinement(
        readable=(*python_readable(), *changes.pop("also", ())),
        limits=limits,
        **{"scratch": 8 << 20, **changes},
    )


def begin(
    program: str, level: Level, *, pass_fds: Sequence[int] = (), stdin: int = subprocess.DEVNULL,
    **changes: Any,
) -> Sandboxed:  # fmt: skip
    return start(
        [os.path.realpath(sys.executable), "-I", "-S", "-c", textwrap.dedent(program)],
        confinement(**changes),
        level=level,
        pass_fds=pass_fds,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(program: str, level: Level, **changes: Any) -> Ended:
    process = begin(program, level, **changes)
    try:
        said, complaint = process.communicate(timeout=SECONDS)
    finally:
        kill(process)
    return Ended(said.decode().strip(), complaint.decode().strip(), process.returncode)


def processes_saying(mark: str) -> list[int]:
    """Return the processes of this host with `mark` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
