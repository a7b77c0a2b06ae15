"""The warm parent: has imported torch, Triton and pytest, and forks children on request.

It runs no code of any entry, makes no CUDA context, and ends with its control channel.
"""

import gc
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from contextlib import suppress
from typing import Any

from validation.harness.channel import Channel
from validation.harness.inside import child, gpu, warm
from validation.harness.inside.leavings import removed, too_full
from validation.sandbox import seal
from validation.sandbox.seal import Domain

LOOK_EVERY = 0.05
SELDOM = 0.25


def main(control: int, domain: Domain | None, *, compiler: bool = False) -> None:
    seal.protect_parent()
    channel = Channel(socket.socket(fileno=control))
    try:
        channel.send({"hello": warm.up(compiler=compiler)})
    except gpu.Unusable as unusable:
        channel.send({"away": str(unusable)})
        return
    gc.freeze()
    gc.enable()
    Parent(channel, domain).watch()


class Parent:
    def __init__(self, channel: Channel, domain: Domain | None) -> None:
        self.channel, self.domain = channel, domain
        gpu.caches = tempfile.mkdtemp(prefix="caches-")
        self.pids: dict[int, int] = {}
        self.folders: dict[int, str] = {}
        self.bounds: dict[int, int] = {}
        self.looked = 0.0
        self.broken: dict[int, str] = {}
        self.wake, wake = socket.socketpair()
        for end in (self.wake, wake):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno())
        self._wakes = wake

    def watch(self) -> None:
        while True:
            patience = LOOK_EVERY if self.pids else None
            ready, _, _ = select.select([self.channel.socket, self.wake], [], [], patience)
            if self.wake in ready:
                with suppress(BlockingIOError):
                    self.wake.recv(4096)
            self.reap()
            if self.channel.socket in ready and not self.obey():
                break
            self.hold_bounds()
        for number in list(self.pids):
            self.kill(number)

    def obey(self) -> bool:
        received = self.channel.receive()
        if received is None:
            return False
        order, fds = received
        if "fork" in order:
            self.fork(order, fds[0])
        elif "kill" in order:
            self.kill(order["kill"])
        elif "forget" in order:
            removed(f"{gpu.caches}/{order['forget']}")
        return True

    def fork(self, order: dict[str, Any], end: int) -> None:
        number = order["fork"]
        folder = tempfile.mkdtemp(prefix="child-")
        try:
            pid = self.forked()
        except OSError as error:
            os.close(end)
            shutil.rmtree(folder, ignore_errors=True)
            self.channel.send({"exited": number, "status": None, "why": str(error)})
            return
        if not pid:
            self.become_child(order, end, folder)
        os.close(end)
        # Parent and child both do it, since either may come first.
        with suppress(OSError):
            os.setpgid(pid, pid)
        self.pids[number], self.folders[number] = pid, folder
        self.bounds[number] = order["folder"]

    def forked(self) -> int:
        """Fork. If another child has used up all processes, the guard ends it soon."""
        for _ in range(100):
            try:
                return os.fork()
            except BlockingIOError:
                time.sleep(LOOK_EVERY)
                self.reap()
        return os.fork()

    def become_child(self, order: dict[str, Any], end: int, folder: str) -> None:
        status = 70
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for other in (self.channel.socket, self.wake, self._wakes):
                other.close()
            tempfile.tempdir = os.environ["TMPDIR"] = os.environ["HOME"] = folder
            os.environ["TRITON_CACHE_DIR"] = f"{folder}/triton"
            os.environ["TRITON_HOME"] = folder
            os.chdir(folder)
            seal.unprotect()
            bounds = seal.Bounds(**order["bounds"])
            seal.seal(bounds, self.domain, folder, unlisted=[gpu.caches])
            child.serve(socket.socket(fileno=end), folder)
            status = 0
        finally:
            os._exit(status)

    def kill(self, number: int) -> None:
        pid = self.pids.get(number)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)

    def reap(self) -> None:
        numbers = {pid: number for number, pid in self.pids.items()}
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid not in numbers:
                continue
            number = numbers.pop(pid)
            # Whatever it forked is in its group still, and no child can leave that.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            del self.pids[number]
            removed(self.folders.pop(number))
            del self.bounds[number]
            why = self.broken.pop(number, "")
            self.channel.send(
                {
                    "exited": number,
                    "pid": pid,
                    "status": os.waitstatus_to_exitcode(status),
                    "why": why,
                    "cpu": usage.ru_utime + usage.ru_stime,
                    "rss": usage.ru_maxrss * 1024,
                }
            )

    def hold_bounds(self) -> None:
        """End each child whose folder holds too much."""
        now = time.monotonic()
        if now - self.looked < SELDOM:
            return
        self.looked = now
        for number in self.pids:
            if number not in self.broken and too_full(self.folders[number], self.bounds[number]):
                self.broken[number] = "disk"
                self.kill(number)
