"""Finds out how well this host can confine programs, by confining one."""

import subprocess
from dataclasses import dataclass
from functools import cache

from validation.sandbox import bubblewrap, cgroup, landlock
from validation.sandbox.confinement import Confinement, Level, Limits, SandboxUnavailable
from validation.sandbox.launch import launch
from validation.sandbox.python import python
from validation.sandbox.readable import python_readable
from validation.sandbox.tree import kill

# The first one that knows scopes. Without them a program could signal every process of its user.
LANDLOCK_VERSION = 6
SECONDS = 20


@dataclass(frozen=True, slots=True)
class Probe:
    """The level that this host allows, and a sentence: why it is no better, or what it is."""

    level: Level
    sentence: str


@cache
def probe() -> Probe:
    """Try each level once, best first; the answer holds as long as this process."""
    fault = _bubblewrap_fault()
    if not fault:
        return Probe(Level.BUBBLEWRAP, "Programs run in namespaces of their own.")
    no_bubblewrap = f"bubblewrap can't be used: {fault}"
    fault = _landlock_fault()
    if not fault:
        return Probe(Level.LANDLOCK, f"{no_bubblewrap} Landlock confines programs instead.")
    return Probe(
        Level.NONE,
        f"Untrusted programs are not run on this host. {no_bubblewrap} Landlock neither: {fault} "
        "Install bubblewrap and allow user namespaces, or use a kernel of 6.12 or newer.",
    )


@cache
def no_cgroup(level: Level) -> str:
    """Return why a sandbox of this level can have no cgroup of its own, or nothing: it can."""
    try:
        cgroup.home()
    except (cgroup.NoCgroup, OSError) as error:
        return str(error)
    return _attempt(level, grouped=True)


def memory_bound(level: Level) -> str:
    """Say what bounds the memory that all processes of a sandbox hold together."""
    fault = no_cgroup(level)
    return f"watched, no cgroup here: {fault}" if fault else "cgroup"


def _bubblewrap_fault() -> str:
    if bubblewrap.found() is None:
        return "bwrap is not on PATH."
    return _attempt(Level.BUBBLEWRAP)


def _landlock_fault() -> str:
    version = landlock.version()
    if version < LANDLOCK_VERSION:
        return f"the kernel has version {version} of it and {LANDLOCK_VERSION} is needed."
    return _attempt(Level.LANDLOCK)


def _attempt(level: Level, *, grouped: bool = False) -> str:
    """Empty where a small program really ran."""
    confinement = Confinement(
        readable=python_readable(),
        limits=Limits(
            memory=1 << 30,
            group_memory=1 << 30,
            tree_memory=1 << 30,
            cpu_seconds=10,
            processes=16,
            file_size=1 << 20,
            open_files=64,
        ),
        scratch=1 << 20,
    )
    try:
        program = launch(
            [*python(), "-c", "print('confined')"],
            confinement,
            level,
            grouped=grouped,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, KeyError, SandboxUnavailable) as error:
        return f"{error}."
    try:
        said, complaint = program.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        kill(program)
        return f"a small program did not end within {SECONDS} seconds."
    if said == b"confined\n":
        return ""
    lines = complaint.decode(errors="replace").strip().splitlines()
    return f"{lines[-1] if lines else f'exit status {program.returncode}'}."
