"""Start and end of a program at a given level of confinement.

Three processes stand in a row: `guard.py` outside, which bounds memory and ends all that the
program forks; `confined.py`, which restricts itself; and the program that it then becomes.
"""

import json
import os
import platform
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from weakref import finalize

from validation.sandbox import bubblewrap, memory, seccomp
from validation.sandbox.confinement import Confinement, Level, SandboxUnavailable
from validation.sandbox.python import SANDBOX_UID, interpreter, python, script

Stream = int | IO[Any] | None

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# Harmless facts about the machine that libraries ask for.
FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
DEFAULT_ENV = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "nobody"}
# How long a killed tree may take to end.
KILL_SECONDS = 10.0


class Sandboxed(subprocess.Popen[bytes]):
    """The guard of a sandboxed program, and the bound on its memory."""

    bound: memory.Bound
    give_back: "finalize[..., Sandboxed]"


def launch(
    argv: Sequence[str],
    confinement: Confinement,
    level: Level,
    *,
    grouped: bool = False,
    pass_fds: Sequence[int] = (),
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
) -> Sandboxed:
    """Start a program.

    grouped: in a cgroup of its own.
    """
    bound = memory.Bound.make(confinement, grouped=grouped)
    held = (bound.record,) if bound.entrance < 0 else (bound.record, bound.entrance)
    try:
        process = Sandboxed(
            _command(argv, confinement, level, bound, pass_fds),
            pass_fds=(*pass_fds, *held),
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.DEVNULL if stdout is None else stdout,
            stderr=subprocess.DEVNULL if stderr is None else stderr,
            # The program can read the environment of the first process inside.
            env={},
            cwd="/",
            # A Ctrl-C at the terminal is the caller's to handle.
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
    """End a program and all that it forked, also in other sessions, and wait until it is gone.

    Harmless after its end. The kernel may then still be ending what it left behind, for a moment
    that can't be waited for.
    """
    # The tree depends on a process that only the guard can end: the first of a namespace, or an
    # adopter of orphans.
    inner = [fd for pid in _children(process.pid) if (fd := _open_process(pid)) is not None]
    try:
        process.terminate()
        for fd in inner:
            select.select([fd], [], [], KILL_SECONDS)
        try:
            process.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    finally:
        for fd in inner:
            os.close(fd)
        process.give_back()


def ended_for(process: Sandboxed, group: int) -> str:
    """Return why a process group was ended: "memory", "processes", "threads", or "" if it was not.

    group: its number inside the sandbox.
    """
    return process.bound.ended_for(group)


def _children(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in children.split()]


def _open_process(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _command(
    argv: Sequence[str],
    confinement: Confinement,
    level: Level,
    bound: memory.Bound,
    pass_fds: Sequence[int],
) -> list[str]:
    """Return the command line of the guard, which has those of the other processes at its end."""
    limits = confinement.limits
    env = DEFAULT_ENV | dict(confinement.env)
    uid = SANDBOX_UID if os.geteuid() == 0 and level is not Level.NONE else 0
    order: dict[str, Any] = {
        "argv": list(argv),
        "pass_fds": list(pass_fds),
        "limits": {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_FSIZE": limits.file_size,
            "RLIMIT_NOFILE": limits.open_files,
            "RLIMIT_CORE": 0,
            **({} if limits.memory is None else {"RLIMIT_AS": limits.memory}),
        },
        "processes": limits.processes,
        "uid": uid,
        "cgroup": bound.entrance,
        "seccomp": _system_call_filter(level),
        "landlock": _landlock(confinement) if level is Level.LANDLOCK else None,
    }
    guarded = {
        "parent": os.getpid(),
        "uid": uid,
        "record": bound.record,
        "limits": {
            "group": limits.group_memory,
            "tree": limits.tree_memory,
            "processes": limits.group_processes,
            "threads": limits.threads,
        },
        "scratch": 0,
        "env": {},
    }
    if level is not Level.BUBBLEWRAP:
        # Without a namespace the limit counts all processes of the user.
        order["processes"] += threads_of(uid or os.getuid())
        # The guard makes the scratch folder.
        guarded |= {"scratch": confinement.scratch, "env": env}
    inner = [*python(), str(script("confined")), json.dumps(order)]
    if level is Level.BUBBLEWRAP:
        inner = _in_bubblewrap(inner, confinement, env)
    return [*python(), str(script("guard")), json.dumps(guarded), *inner]


def _in_bubblewrap(inner: list[str], confinement: Confinement, env: Mapping[str, str]) -> list[str]:
    bwrap = bubblewrap.find_bubblewrap()
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap (bwrap) is not on PATH. Install it.")
    private = {"HOME": "/tmp", **env, "TMPDIR": "/tmp"}  # noqa: S108 - the sandbox's own
    return bubblewrap.command(bwrap, confinement, private, inner)


def _system_call_filter(level: Level) -> str:
    if level is Level.NONE:
        return ""
    unix_sockets = level is Level.BUBBLEWRAP
    return seccomp.sandbox_filter(platform.machine(), unix_sockets=unix_sockets).hex()


def _landlock(confinement: Confinement) -> dict[str, list[str]]:
    rules = reachable(confinement)
    # The driver reads the maps of its own process, and a Landlock rule can't name `/proc/self`.
    process = ["/proc"] if confinement.gpu else []
    return {**rules, "readable": [*rules["readable"], *process], "writable": process}


def reachable(confinement: Confinement) -> dict[str, list[str]]:
    """Return the paths that every program may read, and the devices, but for /proc/PID."""
    devices = list(DEVICES)
    readable = [*map(str, confinement.readable), *FACTS, interpreter()]
    if confinement.gpu:
        devices += bubblewrap.gpu_devices()
        readable += [*bubblewrap.GPU_LIBRARIES, "/sys"]
    return {"readable": readable, "devices": devices}


def threads_of(uid: int) -> int:
    """Return how many threads a user runs on this host."""
    count = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if process.stat().st_uid == uid:
                    count += len(list((process / "task").iterdir()))
            except OSError:
                continue
    return count
