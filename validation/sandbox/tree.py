"""Ending a sandboxed program with all that it forked."""

import os
import select
import subprocess
from pathlib import Path

from validation.sandbox import memory

SECONDS = 10.0


def kill(process: subprocess.Popen[bytes]) -> None:
    """End the whole tree and return when it is gone, also what forked twice or left its session.

    Harmless where it has ended already; then the kernel may still be ending what it left behind,
    for a moment that nothing here can wait for. What `start` returned is the guard of the tree:
    the rest hangs on a process that it alone can end, a namespace's first or an adopter of orphans.
    """
    inner = [fd for pid in _children(process.pid) if (fd := _open(pid)) is not None]
    try:
        process.terminate()
        for fd in inner:
            select.select([fd], [], [], SECONDS)
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    finally:
        for fd in inner:
            os.close(fd)
        memory.forget(process)


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def _open(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
