"""A child of a fork server, as seen from the trusted side."""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from validation.harness.pool.channel import (
    Blob,
    Channel,
    NotAParcel,
    memory_file,
    read_parcel,
    write_parcel,
)

if TYPE_CHECKING:
    from validation.harness.pool.fork_server import ForkServer

# A killed process closes its channel before its CUDA context, which takes a busy driver seconds.
DYING_SECONDS = 10.0
KILL_SECONDS = 5.0
# `ChildEnded.why` of a child that ended with its fork server.
SERVER_ENDED = "the fork server ended"
# By the `ChildEnded.why` of a child that was ended for one of its limits.
LIMITS = {
    "memory": "used more memory than it may",
    "disk": "wrote more files than it may",
    "threads": "started more threads than it may",
    "processes": "started more processes than it may",
}
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class ChildEnded(Exception):
    """A child ended before it answered. `status` as a shell has it, None if it never began."""

    def __init__(self, status: int | None, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class DeadlinePassed(Exception):
    """A child did not answer in time, and was killed with all that it started.

    compiling: whether it used up the time for compiling, and not the time for running.
    """

    def __init__(self, *, compiling: bool = False) -> None:
        super().__init__("compiling" if compiling else "running")
        self.compiling = compiling


class Forged(Exception):
    """Something other than our own side wrote into the channel or the result."""


class Closed(Exception):
    """The whole run is being ended."""


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    header: Any
    blobs: list[memoryview]


class Child:
    """A process that does one task after the other until it is released.

    served: how many roles it has taken up.
    spoiled: whether a task in it did not pass. It then gets no other entry.
    compile_seconds: how long it compiled kernels.
    """

    def __init__(self, server: ForkServer, number: int, channel: Channel) -> None:
        self.server, self.number, self.channel = server, number, channel
        self.served, self.spoiled, self.compile_seconds = 0, False, 0.0
        self._end: Mapping[str, Any] = {}
        self._over = threading.Event()

    @property
    def gone(self) -> bool:
        return self._over.is_set()

    @property
    def seconds(self) -> float:
        """The processor time of a child that has ended."""
        return float(self._end.get("seconds", 0.0))

    def ended(self, message: Mapping[str, Any]) -> None:
        """Keep how the child ended, and wake the thread that waits for its answer."""
        self._end = message
        self._over.set()
        # Close it also if a process that the child left behind has its other end open.
        with suppress(OSError):
            self.channel.socket.shutdown(2)

    def ask(
        self, begin: str, step: str, order: dict[str, Any], timeout: float,
        blobs: Sequence[Blob] = (), compile_budget: float = 0.0,
    ) -> ChildAnswer:  # fmt: skip
        """Have the child do one step, and return its answer.

        begin: the role to take up first, or "" to go on in the present one.
        timeout: seconds, without those in which it compiles kernels.
        compile_budget: seconds in which it may compile kernels.
        """
        nonce = secrets.token_hex(8)
        request, result = memory_file("request"), memory_file("result")
        try:
            write_parcel(request, order, blobs)
            message = {"begin": begin, "step": step, "nonce": nonce}
            self._send(message, (request, result))
            self._wait(nonce, timeout, compile_budget)
            return self._read(result)
        finally:
            self.served += bool(begin)
            os.close(result)
            os.close(request)

    def _send(self, message: dict[str, Any], fds: Sequence[int]) -> None:
        try:
            self.channel.send(message, fds)
        except OSError:
            self._raise_end()

    def _wait(self, nonce: str, timeout: float, compile_budget: float) -> None:
        """Wait for the answer. While the child compiles, only the budget for that runs down.

        Attack: the entry's code says that it compiles. Defense: it gains the budget, and no more.
        """
        left, compiling = {False: timeout, True: compile_budget}, False
        while True:
            started = time.monotonic()
            received = self._receive(left[compiling], compiling=compiling)
            took = time.monotonic() - started
            left[compiling] -= took
            self.compile_seconds += took if compiling else 0.0
            if received is None:
                self._raise_end()
                return
            message, fds = received
            if not fds and message == {"compiling": not compiling}:
                compiling = not compiling
                continue
            if not fds and message == {"done": nonce}:
                return
            for fd in fds:
                os.close(fd)
            self.kill()
            raise Forged("a message that is not ours was written to the result channel")

    def _receive(self, left: float, *, compiling: bool) -> tuple[dict[str, Any], list[int]] | None:
        """Return the next message and its files, or None if the child is gone."""
        try:
            # A socket with a timeout of 0 never waits.
            return self.channel.receive(max(left, 0.001))
        except TimeoutError as error:
            self.compile_seconds += max(left, 0.0) if compiling else 0.0
            self.kill()
            raise DeadlinePassed(compiling=compiling) from error
        except NotAParcel as error:
            self.kill()
            raise Forged(str(error)) from error
        except OSError:
            return None

    def _raise_end(self) -> None:
        # Attack: the entry's code closes the channel, and the process lives on.
        if not self._over.wait(DYING_SECONDS):
            self.kill()
            raise Forged("the result channel was closed by the code that ran beside it")
        if self.server.closed:
            raise Closed
        raise ChildEnded(self._end.get("status"), self._end.get("why", ""))

    def _read(self, result: int) -> ChildAnswer:
        # Attack: the sandbox changes the open file while it is read. Defense: it is sealed first.
        try:
            fcntl.fcntl(result, fcntl.F_ADD_SEALS, SEALS)
            (header, spoiled), blobs = read_parcel(result)
        except (OSError, NotAParcel, ValueError, TypeError) as error:
            self.kill()
            raise Forged(f"the result was not written by our own side: {error}") from error
        if spoiled:
            self.kill()
            raise Forged("something was written into the result file before the result was")
        return ChildAnswer(header, blobs)

    def kill(self) -> None:
        self.server.send("kill", self.number)
        self._over.wait(KILL_SECONDS)
        self.channel.close()

    def release(self) -> None:
        """End the child, without waiting for its end."""
        self.channel.close()
        if not self.gone:
            self.server.send("kill", self.number)
