"""Start and stop a sandboxed program, at the best level of confinement that this host allows."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any
from weakref import finalize

from validation.harness.sandbox import memory, restrictions
from validation.harness.sandbox.command import command, find_bubblewrap
from validation.harness.sandbox.confinement import Confinement, Level, RunLimits, SandboxUnavailable
from validation.harness.sandbox.python import python, python_readable

Stream = int | IO[Any]

# First Landlock version with scopes. Without them, a program could signal its user's processes.
LANDLOCK_VERSION = 6
# Time limits: for a killed process tree to end (a busy CUDA driver needs seconds), and for a probe.
KILL_SECONDS, PROBE_SECONDS = 20.0, 20
PROBE_LIMITS = RunLimits(
    memory=1 << 30, group_memory=1 << 30, tree_memory=1 << 30, cpu_seconds=10, processes=16,
    file_size=1 << 20, open_files=64,
)  # fmt: skip


class Sandboxed(subprocess.Popen[bytes]):
    """The guard process of a sandboxed program, and the program's memory limits."""

    bound: memory.Bound
    give_back: "finalize[..., Sandboxed]"


def start(
    argv: Sequence[str],
    confinement: Confinement,
    *,
    level: Level | None = None,
    grouped: bool | None = None,
    pass_fds: Sequence[int] = (),
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.DEVNULL,
    stderr: Stream = subprocess.DEVNULL,
) -> Sandboxed:
    """Start a program, or raise SandboxUnavailable.

    level: confinement level, by default the best of this host. NONE does not confine.
    grouped: whether to create a cgroup, by default if that is possible.

    The program ends with the thread that started it. `kill` ends all that it forked.
    """
    level = level or best()
    if grouped is None:
        grouped = not no_cgroup(level)
    bound = memory.Bound.make(confinement, grouped=grouped)
    held = (bound.record,) if bound.entrance < 0 else (bound.record, bound.entrance)
    try:
        process = Sandboxed(
            command(argv, confinement, level, bound, pass_fds),
            pass_fds=(*pass_fds, *held),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            # Pass nothing, as the program can read the environment of the first process inside.
            env={},
            cwd="/",
            # In a new session, so that Ctrl-C at the terminal reaches only the caller.
            start_new_session=True,
        )
    except BaseException:
        bound.close()
        raise
    finally:
        bound.close_entrance()
    process.bound, process.give_back = bound, finalize(process, bound.close)
    return process


def kill(process: Sandboxed) -> None:
    """Kill a program and all that it forked, also in other sessions, and wait for their end.

    The guard ends last. Calling this after its end is harmless.
    """
    process.terminate()
    try:
        process.wait(KILL_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        process.give_back()


def best() -> Level:
    """Return the best level that this host allows, or raise SandboxUnavailable."""
    probed = probe()
    if probed.level is Level.NONE:
        raise SandboxUnavailable(probed.sentence)
    return probed.level


@dataclass(frozen=True, slots=True)
class Probe:
    """The best level that this host allows, and a sentence that explains it."""

    level: Level
    sentence: str


@cache
def probe() -> Probe:
    """Try each level, best first. The result is cached for the life of this process."""
    fault = _fault(Level.BUBBLEWRAP) if find_bubblewrap() else "bwrap is not on PATH."
    if not fault:
        return Probe(Level.BUBBLEWRAP, "Programs run in namespaces of their own.")
    no_bubblewrap = f"bubblewrap can't be used: {fault}"
    version = restrictions.landlock_version()
    if version >= LANDLOCK_VERSION:
        fault = _fault(Level.LANDLOCK)
    else:
        fault = f"the kernel has version {version} of it and {LANDLOCK_VERSION} is needed."
    if not fault:
        return Probe(Level.LANDLOCK, f"{no_bubblewrap} Landlock confines programs instead.")
    return Probe(
        Level.NONE,
        f"Untrusted programs are not run on this host. {no_bubblewrap} Landlock neither: {fault} "
        "Install bubblewrap and allow user namespaces, or use a kernel of 6.12 or newer.",
    )


@cache
def no_cgroup(level: Level) -> str:
    """Return why a sandbox of this level can't have its own cgroup, or "" if it can."""
    try:
        memory.parent_cgroup()
    except (memory.NoCgroup, OSError) as error:
        return str(error)
    return _fault(level, grouped=True)


def memory_bound(level: Level) -> str:
    """Return a description of the memory limit for all processes of a sandbox."""
    fault = no_cgroup(level)
    return f"watched, no cgroup here: {fault}" if fault else "cgroup"


def _fault(level: Level, *, grouped: bool = False) -> str:
    """Run a small program at this level. Return why it failed, or ""."""
    try:
        program = start(
            [*python(), "-c", "print('confined')"],
            Confinement(readable=python_readable(), limits=PROBE_LIMITS, scratch=1 << 20),
            level=level,
            grouped=grouped,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, KeyError, SandboxUnavailable) as error:
        return f"{error}."
    try:
        output, complaint = program.communicate(timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        kill(program)
        return f"a small program did not end within {PROBE_SECONDS} seconds."
    if output == b"confined\n":
        return ""
    lines = complaint.decode(errors="replace").strip().splitlines()
    return f"{lines[-1] if lines else f'exit status {program.returncode}'}."
