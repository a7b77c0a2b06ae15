"""Runs one entry as a stranger would, `python -m pytest` in a folder of its own, where it can do no
harm: no network, nothing to read, little to fill. It judges nothing: what pytest says is returned.
"""

import os
import subprocess
import sys
import tempfile
from enum import StrEnum
from pathlib import Path

from tests.hostile.zoo.load import Entry

NOBODY = "65534"
MEBIBYTE = 1 << 20
# Added to pytest's exit codes, to tell them from those of the cage.
PYTEST = 100


class Outcome(StrEnum):
    """The outcomes that an exit code tells apart."""

    PASSES = "passes"
    FAILS = "fails"
    DIES = "dies"
    HANGS = "hangs"


def plain_pytest(entry: Entry, *, seconds: float) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="zoo-cage-") as folder:
        os.chmod(folder, 0o755)
        entry.code.write(Path(folder))
        # Nowhere to write to but memory: what floods its output floods nothing.
        process = subprocess.Popen(
            _command(Path(folder)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            # With process 1 of the cage goes everything in it.
            process.kill()
            process.wait()
            return Outcome.HANGS
    if code < PYTEST:
        raise RuntimeError(f"The cage for {entry.name} did not open: exit code {code}.")
    if code == PYTEST:
        return Outcome.PASSES
    return Outcome.FAILS if code <= PYTEST + 5 else Outcome.DIES


def _command(folder: Path) -> list[str]:
    command = ["prlimit", f"--as={6144 * MEBIBYTE}", f"--fsize={256 * MEBIBYTE}", "--core=0"]
    command += ["--nproc=256", "bwrap", "--die-with-parent", "--new-session"]
    command += [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]
    become = ""
    if os.getuid() == 0:
        # No user of a namespace of its own that is root outside: the limit on processes would
        # not hold for it.
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        become = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --bounding-set=-all "
    else:
        command += ["--unshare-user", "--uid", NOBODY, "--gid", NOBODY, "--cap-drop", "ALL"]
    command += [
        *("--clearenv", "--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(256 * MEBIBYTE), "--tmpfs", "/dev/shm"),
        *("--perms", "1777", "--size", str(256 * MEBIBYTE), "--tmpfs", "/tmp"),
        *("--ro-bind", "/usr", "/usr"),
    ]
    for link in ("/bin", "/lib", "/lib64"):
        if os.path.islink(link):
            command += ["--symlink", os.readlink(link), link]
    for needed in sorted({sys.base_prefix, sys.prefix}):
        if not needed.startswith("/usr"):
            # Parents that bwrap makes by itself are closed to others.
            for parent in [*reversed(Path(needed).parents)][1:]:
                command += ["--perms", "0755", "--dir", str(parent)]
            command += ["--ro-bind", needed, needed]
    settings = {
        "HOME": "/tmp/work",
        "OMP_NUM_THREADS": "1",
        "PATH": "/usr/bin:/bin",
        "TRITON_INTERPRET": "1",
    }
    for name, value in settings.items():
        command += ["--setenv", name, value]
    # A copy in memory, which the entry may write to as a stranger's folder lets it.
    script = (
        "mkdir /tmp/work && cp /entry/*.py /tmp/work && cd /tmp/work"
        f" && {{ {sys.executable} -m pytest -q -p no:randomly .; exit $(({PYTEST} + $?)); }}"
    )
    return [*command, "--ro-bind", str(folder), "/entry", *become.split(), "sh", "-c", script]
