"""The fork server: it imports what its children need, and forks them on request.

It runs no code of any entry, creates no CUDA context, and ends when its control channel closes.
"""

import gc
import importlib
import math
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from validation.harness.pool.channel import Channel
from validation.harness.sandbox import seal
from validation.harness.worker import child, gpu
from validation.harness.worker.cleanup import is_too_full, remove_folder

# Seconds between attempts to fork while all processes are in use, and between folder checks.
FORK_SECONDS, FORK_TRIES = 0.05, 100
FOLDER_SECONDS = 0.25


def main(control: int, settings: dict[str, Any]) -> None:
    """Warm up and serve.

    settings: `domain`, `limits` and `folder` (bytes) of each child, whether it may start other
    `programs`, and the module `program`, which has the children's `ROLES` and a warm-up. The
    warm-up uses `compiler` (whether to import torch's) and `target`.
    """
    seal.protect_parent()
    channel = Channel(socket.socket(fileno=control))
    program: Any = importlib.import_module(settings["program"])
    try:
        channel.send({"versions": program.up(settings)})
    except gpu.Unusable as unusable:
        channel.send({"failed": str(unusable)})
        return
    gc.freeze()
    gc.enable()
    Server(channel, settings, program).serve()


@dataclass(slots=True)
class Forked:
    """A child: its number, its folder, and why it was killed, or an empty text."""

    number: int
    folder: str
    why: str = ""


class Server:
    def __init__(self, channel: Channel, settings: dict[str, Any], program: Any) -> None:
        self.channel, self.settings, self.program = channel, settings, program
        gpu.caches = tempfile.mkdtemp(prefix="caches-")
        self.children: dict[int, Forked] = {}
        self.measured_at = 0.0
        self.wake, self.waking = socket.socketpair()
        for end in (self.wake, self.waking):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.waking.fileno())
        # The channel's file descriptor may exceed 1,023, which select does not support.
        self.poll = select.poll()
        for read in (self.channel.socket, self.wake):
            self.poll.register(read, select.POLLIN)

    def serve(self) -> None:
        while True:
            patience = None
            if self.children:
                seconds = self.measured_at + FOLDER_SECONDS - time.monotonic()
                patience = max(0, math.ceil(1000 * seconds))
            ready = {descriptor for descriptor, _ in self.poll.poll(patience)}
            if self.wake.fileno() in ready:
                with suppress(BlockingIOError):
                    self.wake.recv(4096)
            self.reap()
            if self.channel.socket.fileno() in ready and not self.obey():
                break
            self.bound_folders()
        for pid in self.children:
            kill_group(pid)

    def obey(self) -> bool:
        """Carry out one message of the channel. Return False after the last one."""
        received = self.channel.receive()
        if received is None:
            return False
        order, fds = received
        if "fork" in order:
            self.fork(order["fork"], fds[0])
        elif "kill" in order:
            for pid, forked in self.children.items():
                if forked.number == order["kill"]:
                    kill_group(pid)
        elif "forget" in order:
            remove_folder(f"{gpu.caches}/{order['forget']}")
        return True

    def fork(self, number: int, end: int) -> None:
        folder = tempfile.mkdtemp(prefix="child-")
        try:
            pid = self.try_to_fork()
        except OSError as error:
            os.close(end)
            shutil.rmtree(folder, ignore_errors=True)
            self.channel.send({"exited": number, "status": None, "why": str(error)})
            return
        if not pid:
            self.become_child(end, folder)
        os.close(end)
        # Parent and child both set the group, since either may run first.
        with suppress(OSError):
            os.setpgid(pid, pid)
        self.children[pid] = Forked(number, folder)

    def try_to_fork(self) -> int:
        """Fork. If a child has used up all processes, retry until the guard has killed it."""
        for _ in range(FORK_TRIES):
            try:
                return os.fork()
            except BlockingIOError:
                time.sleep(FORK_SECONDS)
                self.reap()
        return os.fork()

    def become_child(self, end: int, folder: str) -> None:
        status = 70
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for other in (self.channel.socket, self.wake, self.waking):
                other.close()
            tempfile.tempdir = os.environ["TMPDIR"] = os.environ["HOME"] = folder
            os.environ["TRITON_CACHE_DIR"] = f"{folder}/triton"
            os.environ["TRITON_HOME"] = folder
            os.chdir(folder)
            seal.unprotect()
            seal.seal(
                self.settings["domain"],
                folder,
                programs=self.settings["programs"],
                limits=self.settings["limits"],
                unlisted=[gpu.caches],
            )
            child.serve(socket.socket(fileno=end), folder, self.program)
            status = 0
        finally:
            os._exit(status)

    def reap(self) -> None:
        """Report each child that has ended, and remove its processes and folder."""
        with suppress(ChildProcessError):
            while (ended := os.wait4(-1, os.WNOHANG))[0]:
                pid, status, used = ended
                if (forked := self.children.pop(pid, None)) is None:
                    continue
                # All processes that it forked are still in its group: seccomp prevents leaving it.
                kill_group(pid)
                remove_folder(forked.folder)
                self.channel.send({
                    "exited": forked.number, "pid": pid, "why": forked.why,
                    "status": os.waitstatus_to_exitcode(status),
                    "seconds": round(used.ru_utime + used.ru_stime, 3),
                })  # fmt: skip

    def bound_folders(self) -> None:
        """Kill each child whose folder is too large. The guard outside can't see the folders."""
        now = time.monotonic()
        if now - self.measured_at < FOLDER_SECONDS:
            return
        self.measured_at = now
        for pid, forked in self.children.items():
            if not forked.why and is_too_full(forked.folder, self.settings["folder"]):
                forked.why = "disk"
                kill_group(pid)


def kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
