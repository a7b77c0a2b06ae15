"""Start of a program at the best level of confinement that this host allows.

The level is found by confining a small program.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from validation.sandbox import bubblewrap, cgroup, restrictions
from validation.sandbox.confinement import Confinement, Level, Limits, SandboxUnavailable
from validation.sandbox.launch import Sandboxed, Stream, kill, launch
from validation.sandbox.python import python, python_readable

# The first version with scopes. Without them a program could signal every process of its user.
LANDLOCK_VERSION = 6
SECONDS = 20
LIMITS = Limits(
    memory=1 << 30, group_memory=1 << 30, tree_memory=1 << 30, cpu_seconds=10, processes=16,
    file_size=1 << 20, open_files=64,
)  # fmt: skip


def start(
    argv: Sequence[str],
    confinement: Confinement,
    *,
    level: Level | None = None,
    pass_fds: Sequence[int] = (),
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
) -> Sandboxed:
    """Start a program, confined as well as this host allows, or raise SandboxUnavailable.

    level: NONE runs it without confinement.
    stdin, stdout, stderr: /dev/null by default.

    The program ends with the thread that started it. `kill` ends all that it forked.
    """
    level = level or best()
    return launch(
        argv,
        confinement,
        level,
        grouped=not no_cgroup(level),
        pass_fds=pass_fds,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
    )


def best() -> Level:
    """Return the best level that this host allows, or raise SandboxUnavailable."""
    probed = probe()
    if probed.level is Level.NONE:
        raise SandboxUnavailable(probed.sentence)
    return probed.level


@dataclass(frozen=True, slots=True)
class Probe:
    """The level that this host allows, and a sentence: why it is no better, or what it is."""

    level: Level
    sentence: str


@cache
def probe() -> Probe:
    """Try each level, best first. The answer is cached for the life of this process."""
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
    """Return why a sandbox of this level can have no cgroup of its own, or "" if it can."""
    try:
        cgroup.home()
    except (cgroup.NoCgroup, OSError) as error:
        return str(error)
    return _fault(level, grouped=True)


def memory_bound(level: Level) -> str:
    """Return what bounds the memory of all processes of a sandbox, in words."""
    fault = no_cgroup(level)
    return f"watched, no cgroup here: {fault}" if fault else "cgroup"


def _bubblewrap_fault() -> str:
    if bubblewrap.find_bubblewrap() is None:
        return "bwrap is not on PATH."
    return _fault(Level.BUBBLEWRAP)


def _landlock_fault() -> str:
    version = restrictions.landlock_version()
    if version < LANDLOCK_VERSION:
        return f"the kernel has version {version} of it and {LANDLOCK_VERSION} is needed."
    return _fault(Level.LANDLOCK)


def _fault(level: Level, *, grouped: bool = False) -> str:
    """Return why a small program does not run at this level, or "" if it does."""
    confinement = Confinement(readable=python_readable(), limits=LIMITS, scratch=1 << 20)
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
        output, complaint = program.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        kill(program)
        return f"a small program did not end within {SECONDS} seconds."
    if output == b"confined\n":
        return ""
    lines = complaint.decode(errors="replace").strip().splitlines()
    return f"{lines[-1] if lines else f'exit status {program.returncode}'}."
