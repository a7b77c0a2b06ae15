"""The command line that puts a program into namespaces of its own."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from validation.sandbox.confinement import Confinement
from validation.sandbox.python import NOBODY, python, script

# Binds of single files and folders, never of `/`: as root, /root would stay readable.
GPU_LIBRARIES = ("/usr/local/nvidia", "/usr/local/cuda", "/run/nvidia-persistenced")


def found() -> str | None:
    return shutil.which("bwrap")


def command(
    bwrap: str,
    confinement: Confinement,
    env: Mapping[str, str],
    inner: Sequence[str],
    cwd: Path | None,
) -> list[str]:
    """`inner` starts `confined.py`, which lowers what bubblewrap itself has no flag for."""
    arguments = [
        *_user(),
        "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
        "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv",
        "--proc", "/proc", "--dev", "/dev",
    ]  # fmt: skip
    if confinement.gpu:
        for path in gpu_devices():
            arguments += ["--dev-bind-try", path, path]
    readable = [*confinement.readable, script("confined")]
    if confinement.gpu:
        readable += [Path(path) for path in GPU_LIBRARIES if os.path.exists(path)]
    arguments += ["--perms", "1777", "--size", str(confinement.scratch), "--tmpfs", "/tmp"]  # noqa: S108 - one of its own
    arguments += _binds("--ro-bind", readable)
    arguments += _binds("--bind", confinement.writable)
    # What bubblewrap makes in memory could be written to without bound.
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/"]
    for name, value in env.items():
        arguments += ["--setenv", name, value]
    arguments += ["--chdir", str(cwd or "/tmp")]  # noqa: S108 - one of its own
    whole = [bwrap, *arguments, "--", *inner]
    return [*python(), str(script("user_namespace")), *whole] if os.geteuid() == 0 else whole


def gpu_devices() -> list[str]:
    return sorted(str(path) for path in Path("/dev").glob("nvidia*"))


def _user() -> list[str]:
    if os.geteuid() == 0:
        # `confined.py` becomes nobody, for which it needs these two, and gives them up by it.
        needed = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return ["--userns", "{}", "--cap-drop", "ALL", *needed]
    nobody = str(NOBODY)
    return ["--unshare-user", "--uid", nobody, "--gid", nobody, "--cap-drop", "ALL"]


def _binds(flag: str, paths: Sequence[Path]) -> Iterator[str]:
    """Outer folders first. Links stay links: /lib is one into /usr on most systems."""
    for folder in sorted({parent for path in paths for parent in path.parents}):
        # bubblewrap would close them to all but root where the host's own are closed.
        yield from ("--perms", "0755", "--dir", str(folder))
    for path in sorted(set(paths)):
        if path.is_symlink() and flag == "--ro-bind":
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from (flag, str(path), str(path))
