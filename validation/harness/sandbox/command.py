"""Command line of a sandboxed program.

`guard.py` runs outside of the sandbox, limits memory and ends all processes that the program forks.
It starts `confined.py`, which restricts itself and then executes the program. At the best level,
bubblewrap starts `confined.py` in new namespaces. At the second level, Landlock confines it.
"""

import json
import os
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from validation.harness.sandbox import seccomp
from validation.harness.sandbox.confinement import Confinement, Level, SandboxUnavailable
from validation.harness.sandbox.memory import Bound
from validation.harness.sandbox.python import SANDBOX_UID, interpreter, python, script

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# Information about the machine that libraries read, and that reveals no secret.
FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
# Paths that GPU programs may read. With `/`, a program started by root could read /root.
GPU_LIBRARIES = ("/usr/local/nvidia", "/usr/local/cuda", "/run/nvidia-persistenced")
DEFAULT_ENV = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "nobody"}


def command(
    argv: Sequence[str],
    confinement: Confinement,
    level: Level,
    bound: Bound,
    pass_fds: Sequence[int],
) -> list[str]:
    """Return the guard's command line, which contains those of the processes that it starts."""
    limits = confinement.limits
    env = DEFAULT_ENV | dict(confinement.env)
    uid = SANDBOX_UID if os.geteuid() == 0 and level is not Level.NONE else 0
    confined: dict[str, Any] = {
        "argv": list(argv),
        "pass_fds": list(pass_fds),
        "limits": {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_FSIZE": limits.file_size,
            "RLIMIT_NOFILE": limits.open_files,
            "RLIMIT_CORE": 0,
        },
        "processes": limits.processes,
        "uid": uid,
        "cgroup": bound.entrance,
        "seccomp": "",
        "landlock": _landlock(confinement) if level is Level.LANDLOCK else None,
    }
    if limits.memory is not None:
        confined["limits"]["RLIMIT_AS"] = limits.memory
    if level is not Level.NONE:
        unix_sockets = level is Level.BUBBLEWRAP
        program = seccomp.sandbox_filter(platform.machine(), unix_sockets=unix_sockets)
        confined["seccomp"] = program.hex()
    guard: dict[str, Any] = {
        "parent": os.getpid(),
        "uid": uid,
        "record": bound.record,
        "limits": {
            "group": limits.group_memory,
            "tree": limits.tree_memory,
            "processes": limits.group_processes,
            "threads": limits.threads,
        },
    }
    if level is Level.BUBBLEWRAP:
        guard |= {"scratch": 0, "env": {}, "namespace": uid}
        around = _bubblewrap(confinement, env)
    else:
        guard |= {"scratch": confinement.scratch, "env": env, "namespace": 0}
        around = []
        # Without a user namespace, the limit counts all processes of the user.
        confined["processes"] += threads_of(uid or os.getuid())
    inner = [*python(), str(script("confined")), json.dumps(confined)]
    return [*python(), str(script("guard")), json.dumps(guard), *around, *inner]


def find_bubblewrap() -> str | None:
    return shutil.which("bwrap")


def _bubblewrap(confinement: Confinement, env: Mapping[str, str]) -> list[str]:
    if (bwrap := find_bubblewrap()) is None:
        raise SandboxUnavailable("bubblewrap (bwrap) is not on PATH. Install it.")
    if os.geteuid() == 0:
        # The guard fills in the namespace. `confined.py` needs both capabilities to change its
        # user, which drops them.
        user = ["--userns", "{}", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        user = ["--unshare-user", "--uid", str(SANDBOX_UID), "--gid", str(SANDBOX_UID)]
    readable = [*confinement.readable, script("confined"), script("restrictions")]
    devices: list[str] = []
    if confinement.gpu:
        devices = [word for path in _gpu_devices() for word in ("--dev-bind-try", path, path)]
        readable += [Path(path) for path in GPU_LIBRARIES if os.path.exists(path)]
    environment = {"HOME": "/tmp", **env, "TMPDIR": "/tmp"}  # noqa: S108 - private
    return [
        bwrap, "--cap-drop", "ALL", *user,
        "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
        "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv",
        "--proc", "/proc", "--dev", "/dev", *devices,
        "--perms", "1777", "--size", str(confinement.scratch), "--tmpfs", "/tmp",  # noqa: S108 - private
        *_binds(readable),
        # Folders that bubblewrap creates in memory have no size limit, so make them read-only.
        "--remount-ro", "/dev", "--remount-ro", "/",
        *(word for pair in environment.items() for word in ("--setenv", *pair)),
        "--chdir", "/tmp", "--",  # noqa: S108 - private
    ]  # fmt: skip


def _binds(paths: Sequence[Path]) -> Iterator[str]:
    """Yield options that mount the paths, outer folders first. Symbolic links stay links."""
    for folder in sorted({parent for path in paths for parent in path.parents}):
        # If the host's folder is closed to others, bubblewrap would close its copy to all but root.
        yield from ("--perms", "0755", "--dir", str(folder))
    for path in sorted(set(paths)):
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))


def _landlock(confinement: Confinement) -> dict[str, list[str]]:
    rules = reachable(confinement)
    # The driver reads its own process's memory map, and a Landlock rule can't name `/proc/self`.
    process = ["/proc"] if confinement.gpu else []
    return {**rules, "readable": [*rules["readable"], *process], "writable": process}


def reachable(confinement: Confinement) -> dict[str, list[str]]:
    """Return the paths that every program may read, and the devices, except for /proc/PID."""
    devices = list(DEVICES)
    readable = [*map(str, confinement.readable), *FACTS, interpreter()]
    if confinement.gpu:
        devices += _gpu_devices()
        readable += [*GPU_LIBRARIES, "/sys"]
    return {"readable": readable, "devices": devices}


def _gpu_devices() -> list[str]:
    return sorted(str(path) for path in Path("/dev").glob("nvidia*"))


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
