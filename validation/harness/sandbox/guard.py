"""Guard process next to a sandboxed program: limits its memory and ends all that it forked.

Run as a script: `python -I -S guard.py ORDER COMMAND…`. The program can't reach it. It adopts the
program's orphans, and creates the scratch folder of a program without namespaces. It ends on
SIGTERM, with its parent, with the program, or when the program has filled its scratch folder.

The kernel limits the address space of one process. Only a cgroup limits the sum of many processes
and of memory files. So the guard adds up the memory of the processes. It kills a process group that
exceeds the group limit, and the largest group if the total exceeds its limit. It also kills a group
with too many processes or threads.
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
from collections.abc import Callable, Iterable
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWUSER = 0x10000000
AWAITED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# A check takes 0.2 ms, or 7 ms if the kernel does not list children. It may use 5 % of a processor.
# The longest interval is bounded, so that a program can't make checks rare by making them slow.
LOOK_SECONDS, LONGEST_SECONDS, SHARE = 0.05, 0.25, 0.05
# A plain folder has no size limit, so it is measured at this interval.
FOLDER_SECONDS = 0.2
# Open memory files are counted only after the host's shared memory has grown by this much.
UNSEARCHED = 128 << 20
RESIDENT = (b"RssAnon", b"RssShmem")
KERNEL_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")

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
        program = start(order, command, folder)
        return watch(program, GroupLimits(**order["limits"], record=order["record"]), folder, order)
    finally:
        end_all()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def scratch_folder(uid: int) -> str:
    # Use a neutral name, because some code changes its behavior when it detects a sandbox.
    folder = tempfile.mkdtemp()
    if uid:
        os.chown(folder, uid, uid)
    return folder


def start(order: dict[str, Any], command: list[str], folder: str) -> int:
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
        try:
            become(command, environment, folder, order["namespace"])
        except OSError as error:
            sys.stderr.write(f"The sandbox could not be started: {error}\n")
            os._exit(126)
    return program


def become(command: list[str], environment: dict[str, str], folder: str, namespace: int) -> None:
    """Execute the command, with `{}` replaced by the file descriptor of a user namespace."""
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
    if namespace:
        name = str(user_namespace(namespace))
        command = [name if part == "{}" else part for part in command]
    os.chdir(folder or "/")
    os.execve(command[0], command, environment)  # noqa: S606 - there is no shell


def user_namespace(uid: int) -> int:
    """Open a user namespace with two users, root and `uid`, for the program to inherit.

    bubblewrap's own namespaces have one user. If root starts it, that user is root to the kernel,
    which never limits root's number of processes.
    """
    made, child_made = os.pipe()
    mapped_child, mapped = os.pipe()
    child = os.fork()
    if not child:
        os.close(mapped)
        failed = libc.unshare(CLONE_NEWUSER)
        os.write(child_made, b"-" if failed else b"+")
        os.read(mapped_child, 1)
        os._exit(0)
    os.close(child_made)
    if os.read(made, 1) != b"+":
        raise OSError("no user namespace can be made here")
    for kind in ("uid", "gid"):
        with open(f"/proc/{child}/{kind}_map", "w") as file:
            file.write(f"0 0 1\n{uid} {uid} 1\n")
    namespace = os.open(f"/proc/{child}/ns/user", os.O_RDONLY)
    os.set_inheritable(namespace, True)
    # The child process ends when this end of the pipe is closed.
    os.close(mapped)
    os.waitpid(child, 0)
    return namespace


def watch(program: int, bounds: "GroupLimits", folder: str, order: dict[str, Any]) -> int:
    """Watch until the program ends. Return its exit status."""
    folder_at = look_at = 0.0
    while True:
        now = time.monotonic()
        if now >= look_at:
            bounds.enforce(tree(os.getpid()))
            spent = time.monotonic() - now
            look_at = now + spent + min(max(LOOK_SECONDS, spent / SHARE), LONGEST_SECONDS)
        received = signal.sigtimedwait(AWAITED, max(0.0, look_at - time.monotonic()))
        if received is not None and received.si_signo != signal.SIGCHLD:
            return 128 + received.si_signo
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


class GroupLimits:
    """Limits of process groups; processes and threads may be None, for no limit.

    group: bytes of a process group.
    tree: bytes of all groups together.
    processes: number of processes of a group.
    threads: number of threads of one process.
    record: open file that gets a line for each group before it is killed: its number inside of the
    sandbox, and the reason.
    """

    def __init__(
        self, *, group: int, tree: int, processes: int | None, threads: int | None, record: int
    ) -> None:
        self.group, self.tree, self.record = group, tree, record
        self.processes, self.threads = processes or sys.maxsize, threads or sys.maxsize
        self.ended: set[bytes] = set()
        self.shared = shared_memory()

    def enforce(self, below: dict[int, bytes]) -> None:
        members: dict[bytes, list[int]] = {}
        for pid, status in below.items():
            if name := field(status, b"NSpgid"):
                members.setdefault(name, []).append(pid)
        for name, pids in members.items():
            if len(pids) > self.processes:
                self.end(name, b"processes")
            elif any(int(field(below[pid], b"Threads") or 0) > self.threads for pid in pids):
                self.end(name, b"threads")
        if name := self.excess(below, members):
            self.end(name, b"memory")

    def end(self, name: bytes, why: bytes) -> None:
        if name not in self.ended:
            self.ended.add(name)
            os.write(self.record, name.split()[-1] + b" " + why + b"\n")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int(name.split()[0]), signal.SIGKILL)

    def excess(self, below: dict[int, bytes], members: dict[bytes, list[int]]) -> bytes:
        """Return the group that uses too much memory, or an empty value.

        First, a page that processes share counts for each of them, which is fast. If that sum is
        too large, shared pages are counted in proportion.
        """
        files = self.memory_files(members)
        rough = {name: sum(resident(below[pid]) for pid in pids) for name, pids in members.items()}

        def fair(name: bytes) -> int:
            return files[name] + sum(proportional(pid, below[pid]) for pid in members[name])

        for name in members:
            if rough[name] + files[name] > self.group and fair(name) > self.group:
                return name
        self.ended &= members.keys()
        # A killed group may still be freeing memory: don't kill another group meanwhile.
        is_freeing = any(rough[name] for name in self.ended)
        if is_freeing or sum(rough.values()) + sum(files.values()) <= self.tree:
            return b""
        sizes = {name: fair(name) for name in members}
        return max(sizes, key=lambda name: sizes[name]) if sum(sizes.values()) > self.tree else b""

    def memory_files(self, members: dict[bytes, list[int]]) -> dict[bytes, int]:
        """Return the size of the memory files, such as the judge's, that each group has open."""
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
    """Return the resident bytes of a process that no file on disk backs."""
    return sum(int((field(status, name) or b"0 kB").split()[0]) for name in RESIDENT) * 1024


def proportional(pid: int, status: bytes) -> int:
    """Return the resident bytes, with shared pages in proportion: 3 ms with torch loaded."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        # The process has ended since its status was read.
        return 0
    except OSError:
        return resident(status)
    kilobytes = 0
    for line in text.splitlines():
        if line.startswith((b"Pss_Anon:", b"Pss_Shmem:")):
            kilobytes += int(line.split()[1])
    return kilobytes * 1024


def open_memory(pid: int) -> Iterable[tuple[int, int]]:
    """Yield inode and size of each memory file that a process has open."""
    folder = f"/proc/{pid}/fd"
    with contextlib.suppress(OSError):
        for fd in os.listdir(folder):
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{fd}").startswith("/memfd:"):
                    about = os.stat(f"{folder}/{fd}")
                    yield about.st_ino, about.st_blocks * 512


def shared_memory() -> int:
    """Return the bytes of shared memory on this host, including tmpfs."""
    with open("/proc/meminfo", "rb") as file:
        return int((field(file.read(), b"Shmem", after=b":") or b"0").split()[0]) * 1024


def used(folder: str) -> int:
    total = 0
    for inner, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(inner, name)).st_blocks * 512
    return total


def end_all() -> None:
    """Kill all descendants, until none is left.

    Attack: a fork bomb replaces each killed process.
    Defense: stop all processes before the first is killed.
    """
    while True:
        stopped: set[int] = set()
        while more := set(tree(os.getpid())) - stopped:
            send_signal(more, signal.SIGSTOP)
            stopped |= more
        send_signal(stopped, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        signal.sigtimedwait([signal.SIGCHLD], 0.02)


def send_signal(processes: set[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def tree(root: int) -> dict[int, bytes]:
    """Return /proc/PID/status of every process below `root`, parents first."""
    children = children_listed if KERNEL_LISTS_CHILDREN else children_searched()
    statuses: dict[int, bytes] = {}
    waiting = [root]
    for parent in waiting:
        read = {pid: status_of(pid) for pid in children(parent) if pid not in statuses}
        statuses |= {pid: status for pid, status in read.items() if status}
        waiting += read
    return statuses


def children_listed(parent: int) -> Iterable[int]:
    """Yield the children of a process from the kernel's lists, one for each forking thread."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{parent}/task"):
            with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                yield from map(int, file.read().split())


def children_searched() -> Callable[[int], Iterable[int]]:
    """Return a function that lists children by reading all processes of the host."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (status := status_of(int(name))):
            children.setdefault(int(field(status, b"PPid") or 0), []).append(int(name))
    return lambda parent: children.get(parent, ())


def status_of(pid: int) -> bytes:
    """Return /proc/PID/status, or an empty value if the process has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as file:
        return file.read()
    return b""


def field(text: bytes, name: bytes, after: bytes = b":\t") -> bytes:
    """Return the value of a field in a status, or an empty value if it is missing.

    Attack: a process puts a line break and a field into its name.
    Defense: the kernel escapes line feeds in names.
    """
    return text.partition(b"\n" + name + after)[2].partition(b"\n")[0]


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
