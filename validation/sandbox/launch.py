"""Starting a program at a given level of confinement."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from validation.sandbox import bubblewrap, cgroup, memory, seccomp
from validation.sandbox.confinement import Confinement, Level, SandboxUnavailable
from validation.sandbox.python import NOBODY, interpreter, python, script

Stream = int | IO[Any] | None

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# Harmless facts about the machine that libraries ask for.
FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
DEFAULT_ENV = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "nobody"}


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
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """`grouped`: in a cgroup of its own."""
    env = DEFAULT_ENV | dict(confinement.env)
    if os.geteuid() == 0 and level is not Level.NONE:
        for folder in confinement.writable:
            os.chown(folder, NOBODY, NOBODY)
    bound = memory.bound(confinement, grouped=grouped)
    entrance = cgroup.entrance(bound.group) if bound.group else -1
    order = _order(argv, confinement, level, pass_fds) | {"cgroup": entrance}
    guarded: dict[str, Any] = {}
    if level is Level.BUBBLEWRAP:
        inner = _in_bubblewrap(order, confinement, env, cwd)
    else:
        inner, guarded = _without_namespaces(order, confinement, env, cwd)
    command = [*_guard(confinement, bound.record, order["uid"], guarded), *inner]
    held = (bound.record,) if entrance < 0 else (bound.record, entrance)
    try:
        process = _begun(command, (*pass_fds, *held), stdin, stdout, stderr)
    except BaseException:
        bound.close()
        raise
    finally:
        if entrance >= 0:
            os.close(entrance)
    memory.remember(process, bound)
    return process


def _begun(
    command: list[str], pass_fds: Sequence[int], stdin: Stream, stdout: Stream, stderr: Stream
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        pass_fds=pass_fds,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.DEVNULL if stdout is None else stdout,
        stderr=subprocess.DEVNULL if stderr is None else stderr,
        # Whoever can see the first process inside can see what it was started with.
        env={},
        cwd="/",
        # A Ctrl-C at the terminal is the caller's to deal with.
        start_new_session=True,
    )


def _order(
    argv: Sequence[str], confinement: Confinement, level: Level, pass_fds: Sequence[int]
) -> dict[str, Any]:
    limits = confinement.limits
    bounds = {
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CORE": 0,
    }
    if limits.memory is not None:
        bounds["RLIMIT_AS"] = limits.memory
    machine = platform.machine()
    calls = ""
    if level is not Level.NONE:
        calls = seccomp.program(machine, unix_sockets=level is Level.BUBBLEWRAP).hex()
    return {
        "argv": list(argv),
        "pass_fds": list(pass_fds),
        "limits": bounds,
        "processes": limits.processes,
        "uid": NOBODY if os.geteuid() == 0 and level is not Level.NONE else 0,
        "seccomp": calls,
        "landlock": _landlock(confinement) if level is Level.LANDLOCK else None,
    }


def _in_bubblewrap(
    order: dict[str, Any], confinement: Confinement, env: Mapping[str, str], cwd: Path | None
) -> list[str]:
    bwrap = bubblewrap.found()
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap (bwrap) is not on PATH. Install it.")
    inner = [*python(), str(script("confined")), json.dumps(order)]
    private = {"HOME": "/tmp", **env, "TMPDIR": "/tmp"}  # noqa: S108 - one of its own
    return bubblewrap.command(bwrap, confinement, private, inner, cwd)


def _without_namespaces(
    order: dict[str, Any], confinement: Confinement, env: Mapping[str, str], cwd: Path | None
) -> tuple[list[str], dict[str, Any]]:
    """Return the command, and what its guard has to do in place of a namespace."""
    # No namespace counts for it alone: what its user runs already comes on top.
    order["processes"] += threads_of(order["uid"] or os.getuid())
    guarded = {
        "scratch": confinement.scratch,
        "cwd": str(cwd) if cwd else "",
        "env": dict(env),
    }
    return [*python(), str(script("confined")), json.dumps(order)], guarded


def _guard(
    confinement: Confinement, record: int, uid: int, guarded: Mapping[str, Any]
) -> list[str]:
    limits = confinement.limits
    order = {
        "parent": os.getpid(),
        "uid": uid,
        "memory": {"group": limits.group_memory, "tree": limits.tree_memory},
        "record": record,
        "scratch": 0,
        "cwd": "",
        "env": {},
        **guarded,
    }
    return [*python(), str(script("guard")), json.dumps(order)]


def _landlock(confinement: Confinement) -> dict[str, list[str]]:
    rules = reachable(confinement)
    # The driver reads the maps of its own process, and a Landlock rule can't name `/proc/self`.
    process = ["/proc"] if confinement.gpu else []
    return {
        "readable": [*rules["readable"], *process],
        "writable": [*map(str, confinement.writable), *(["/proc"] if confinement.gpu else [])],
        "devices": rules["devices"],
    }


def reachable(confinement: Confinement) -> dict[str, list[str]]:
    """Return the paths that every program may read, and the devices, but for /proc/PID."""
    devices = list(DEVICES)
    readable = [*map(str, confinement.readable), *FACTS, interpreter(), str(script("confined"))]
    if confinement.gpu:
        devices += bubblewrap.gpu_devices()
        readable += [*bubblewrap.GPU_LIBRARIES, "/sys"]
    return {"readable": readable, "devices": devices}


def threads_of(uid: int) -> int:
    count = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if process.stat().st_uid == uid:
                    count += len(list((process / "task").iterdir()))
            except OSError:
                continue
    return count
