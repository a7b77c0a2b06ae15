"""Stays beside a program that has no namespace of its own, and ends all that it forked with it.

A script: `python -I -S guard.py ORDER COMMAND…`. It makes the program's scratch folder, adopts
what the program orphans, and is out of its reach. Ends by SIGTERM, with its parent, when the
program ends, or when that has filled its scratch.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
import tempfile
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
AWAITED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# A folder has no size limit of its own: it is looked at this often.
SECONDS = 0.2

libc = ctypes.CDLL(None, use_errno=True)


def main(order: dict[str, Any], command: list[str]) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != order["parent"]:
        return 1
    # Named after nothing: some code behaves where it reads of a sandbox.
    folder = tempfile.mkdtemp()
    if order["uid"]:
        os.chown(folder, order["uid"], order["uid"])
    try:
        program = begin(order, command, folder)
        return watch(program, folder, order["scratch"])
    finally:
        end_all()
        shutil.rmtree(folder, ignore_errors=True)


def begin(order: dict[str, Any], command: list[str], folder: str) -> int:
    *python, text = command
    confined = json.loads(text)
    if confined["landlock"]:
        confined["landlock"]["writable"].append(folder)
    environment = {**os.environ, **order["env"], "TMPDIR": folder}
    environment.setdefault("HOME", folder)
    program = os.fork()
    if not program:
        become([*python, json.dumps(confined)], environment, order["cwd"] or folder)
    return program


def become(command: list[str], environment: dict[str, str], cwd: str) -> None:
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
    os.chdir(cwd)
    os.execve(command[0], command, environment)  # noqa: S606 - there is no shell


def watch(program: int, folder: str, scratch: int) -> int:
    """How the program ended, as an exit status."""
    while True:
        told = signal.sigtimedwait(AWAITED, SECONDS)
        if told is not None and told.si_signo != signal.SIGCHLD:
            return 128 + told.si_signo
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                status = os.waitstatus_to_exitcode(ended[1])
                return status if status >= 0 else 128 - status
        if used(folder) > scratch:
            sys.stderr.write("The program was ended: it wrote more than its scratch may hold.\n")
            return 128 + signal.SIGXFSZ


def used(folder: str) -> int:
    total = 0
    for inner, folders, files in os.walk(folder):
        for name in (*folders, *files):
            try:
                total += os.lstat(os.path.join(inner, name)).st_blocks * 512
            except OSError:
                continue
    return total


def end_all() -> None:
    """Until no child is left. All are stopped before the first is killed: a place that one frees
    would be taken at once by what the others fork."""
    while True:
        found: set[int] = set()
        while more := set(descendants(os.getpid())) - found:
            tell(more, signal.SIGSTOP)
            found |= more
        tell(found, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        signal.sigtimedwait([signal.SIGCHLD], 0.02)


def tell(processes: set[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(root, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
