"""Command line of bubblewrap, which puts a program into namespaces of its own."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from validation.sandbox.confinement import Confinement
from validation.sandbox.python import SANDBOX_UID, python, script

# Single files and folders, never `/`: for root, /root would stay readable.
GPU_LIBRARIES = ("/usr/local/nvidia", "/usr/local/cuda", "/run/nvidia-persistenced")


def find_bubblewrap() -> str | None:
    return shutil.which("bwrap")


def command(
    bwrap: str, confinement: Confinement, env: Mapping[str, str], inner: Sequence[str]
) -> list[str]:
    """Return the command that runs `inner`, which starts `confined.py`, in namespaces."""
    arguments = [
        *_user(),
        "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
        "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv",
        "--proc", "/proc", "--dev", "/dev",
    ]  # fmt: skip
    readable = [*confinement.readable, script("confined"), script("restrictions")]
    if confinement.gpu:
        for path in gpu_devices():
            arguments += ["--dev-bind-try", path, path]
        readable += [Path(path) for path in GPU_LIBRARIES if os.path.exists(path)]
    arguments += ["--perms", "1777", "--size", str(confinement.scratch), "--tmpfs", "/tmp"]  # noqa: S108 - private
    arguments += _binds(readable)
    # The folders that bubblewrap makes in memory have no size limit.
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/"]
    for name, value in env.items():
        arguments += ["--setenv", name, value]
    whole = [bwrap, *arguments, "--chdir", "/tmp", "--", *inner]  # noqa: S108 - private
    return [*python(), str(script("user_namespace")), *whole] if os.geteuid() == 0 else whole


def gpu_devices() -> list[str]:
    return sorted(str(path) for path in Path("/dev").glob("nvidia*"))


def _user() -> list[str]:
    if os.geteuid() == 0:
        # `confined.py` needs both capabilities to change its user, and loses them by that.
        needed = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return ["--userns", "{}", "--cap-drop", "ALL", *needed]
    uid = str(SANDBOX_UID)
    return ["--unshare-user", "--uid", uid, "--gid", uid, "--cap-drop", "ALL"]


def _binds(paths: Sequence[Path]) -> Iterator[str]:
    """Outer folders first. Links stay links: /lib is one into /usr on most systems."""
    for folder in sorted({parent for path in paths for parent in path.parents}):
        # If the host's folder is closed to others, bubblewrap would close this one to all but root.
        yield from ("--perms", "0755", "--dir", str(folder))
    for path in sorted(set(paths)):
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))
