"""Stays beside a sandboxed program, bounds its memory, and ends all that it forked with it.

A script: `python -I -S guard.py ORDER COMMAND…`. It adopts what the program orphans, and is out of
its reach. Where no namespace brings one along, it makes the program's scratch folder. Ends by
SIGTERM, with its parent, when the program ends, or when that has filled its scratch.

The kernel limits the address space of one process. It does not limit what many processes hold
together, nor what stands in files of memory, unless there is a cgroup. So the guard adds it up: a
process group that holds more than one may is ended, and the largest group where all hold too much.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
AWAITED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# A look takes 15 µs a process of the host: 2 ms for 100. It is to cost a processor at most 5 %, and
# a program that makes it slow must not make it rare.
LOOK_SECONDS, LONGEST_SECONDS, SHARE = 0.05, 0.25, 0.05
# A folder has no size limit of its own: it is looked at this often.
FOLDER_SECONDS = 0.2
# Open files are searched for memory only where the host's shared memory has grown by this much.
UNSEARCHED = 128 << 20

libc = ctypes.CDLL(None, use_errno=True)


def main(order: dict[str, Any], command: list[str]) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != order["parent"]:
        return 1
    os.set_inheritable(order["record"], False)
    folder = scratch_folder(order["uid"]) if order["scratch"] else ""
    try:
        program = begin(order, command, folder)
        return watch(program, Memory(**order["memory"], record=order["record"]), folder, order)
    finally:
        end_all()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def scratch_folder(uid: int) -> str:
    # Named after nothing: some code behaves where it reads of a sandbox.
    folder = tempfile.mkdtemp()
    if uid:
        os.chown(folder, uid, uid)
    return folder


def begin(order: dict[str, Any], command: list[str], folder: str) -> int:
    environment = {**os.environ, **order["env"]}
    if folder:
        *command, text = command
        confined = json.loads(text)
        if confined["landlock"]:
            confined["landlock"]["writable"].append(folder)
        command = [*command, json.dumps(confined)]
        environment["TMPDIR"] = folder
        environment.setdefault("HOME", folder)
    program = os.fork()
    if not program:
        become(command, environment, order["cwd"] or folder or "/")
    return program


def become(command: list[str], environment: dict[str, str], cwd: str) -> None:
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
    os.chdir(cwd)
    os.execve(command[0], command, environment)  # noqa: S606 - there is no shell


def watch(program: int, memory: "Memory", folder: str, order: dict[str, Any]) -> int:
    """Return how the program ended, as an exit status."""
    folder_at = memory_at = 0.0
    while True:
        now = time.monotonic()
        if now >= memory_at:
            memory.hold(tree(os.getpid()))
            spent = time.monotonic() - now
            memory_at = now + spent + min(max(LOOK_SECONDS, spent / SHARE), LONGEST_SECONDS)
        told = signal.sigtimedwait(AWAITED, max(0.0, memory_at - time.monotonic()))
        if told is not None and told.si_signo != signal.SIGCHLD:
            return 128 + told.si_signo
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                status = os.waitstatus_to_exitcode(ended[1])
                return status if status >= 0 else 128 - status
        if folder and now >= folder_at:
            folder_at = now + FOLDER_SECONDS
            if used(folder) > order["scratch"]:
                why = "it wrote more than its scratch may hold"
                sys.stderr.write(f"The program was ended: {why}.\n")
                return 128 + signal.SIGXFSZ


class Memory:
    """Bounds in bytes: `group` for a process group, `tree` for all together.

    `record` is the open file that gets a line for each group that is ended, before it is: the
    number that the group has inside the sandbox.
    """

    def __init__(self, *, group: int, tree: int, record: int) -> None:
        self.group, self.tree, self.record = group, tree, record
        self.ended: set[bytes] = set()
        self.shared = shared_memory()

    def hold(self, below: dict[int, bytes]) -> None:
        members: dict[bytes, list[int]] = {}
        for pid, status in below.items():
            if name := field(status, b"NSpgid"):
                members.setdefault(name, []).append(pid)
        if name := self.excess(below, members):
            if name not in self.ended:
                self.ended.add(name)
                os.write(self.record, name.split()[-1] + b"\n")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(name.split()[0]), signal.SIGKILL)

    def excess(self, below: dict[int, bytes], members: dict[bytes, list[int]]) -> bytes:
        """Return the group to end, or nothing. Pages that processes share are counted for each of
        them first, which is cheap, and fairly only where that is too much."""
        rough = {name: sum(resident(below[pid]) for pid in pids) for name, pids in members.items()}
        files = self.memory_files(members)
        for name, pids in members.items():
            if rough[name] + files[name] > self.group:
                rough[name] = sum(proportional(pid, below[pid]) for pid in pids)
                if rough[name] + files[name] > self.group:
                    return name
        self.ended = {name for name in self.ended if name in members}
        # A killed group still frees its memory: no other group is killed meanwhile.
        if any(rough[name] for name in self.ended):
            return b""
        if sum(rough.values()) + sum(files.values()) <= self.tree:
            return b""
        fair = {
            name: files[name] + sum(proportional(pid, below[pid]) for pid in pids)
            for name, pids in members.items()
        }
        return max(fair, key=lambda name: fair[name]) if sum(fair.values()) > self.tree else b""

    def memory_files(self, members: dict[bytes, list[int]]) -> dict[bytes, int]:
        """Return what each group holds in open files of memory: the judge hands some in."""
        held = dict.fromkeys(members, 0)
        if shared_memory() - self.shared <= UNSEARCHED:
            return held
        counted: set[int] = set()
        for name, pids in members.items():
            for pid in pids:
                for number, size in open_memory(pid):
                    if number not in counted:
                        counted.add(number)
                        held[name] += size
        return held


def resident(status: bytes) -> int:
    """Return the bytes of a process that no file on disk backs."""
    return sum(int((field(status, name) or b"0 kB").split()[0]) for name in RESIDENT) * 1024


RESIDENT = (b"RssAnon", b"RssShmem")


def proportional(pid: int, status: bytes) -> int:
    """Return the same, a page that n processes share counted as 1/n. With torch it takes 3 ms."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            text = file.read()
    except OSError:
        return resident(status)
    kilobytes = 0
    for line in text.splitlines():
        if line.startswith((b"Pss_Anon:", b"Pss_Shmem:")):
            kilobytes += int(line.split()[1])
    return kilobytes * 1024


def open_memory(pid: int) -> Iterable[tuple[int, int]]:
    """Yield the inode and the bytes of each memory file that a process has open."""
    folder = f"/proc/{pid}/fd"
    with contextlib.suppress(OSError):
        for fd in os.listdir(folder):
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{fd}").startswith("/memfd:"):
                    about = os.stat(f"{folder}/{fd}")
                    yield about.st_ino, about.st_blocks * 512


def shared_memory() -> int:
    """Return what all processes and tmpfs of this host hold in it."""
    with open("/proc/meminfo", "rb") as file:
        return int((field(file.read(), b"Shmem", after=b":") or b"0").split()[0]) * 1024


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
        while more := set(tree(os.getpid())) - found:
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


def tree(root: int) -> dict[int, bytes]:
    """Return every process below `root`, parents first, with its /proc/PID/status."""
    children: dict[int, list[int]] = {}
    said: dict[int, bytes] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/status", "rb") as file:
                    status = file.read()
            except OSError:
                continue
            parent = int(field(status, b"PPid") or 0)
            children.setdefault(parent, []).append(int(name))
            said[int(name)] = status
    found = list(children.get(root, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return {pid: said[pid] for pid in found}


def field(text: bytes, name: bytes, after: bytes = b":\t") -> bytes:
    """Return a line's value, empty where there is no such line. No process can write a line feed
    into its name: the kernel escapes it."""
    return text.partition(b"\n" + name + after)[2].partition(b"\n")[0]


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
