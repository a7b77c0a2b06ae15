"""Handle of a fork server's child in the trusted process."""

from __future__ import annotations

import os
import secrets
import signal
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
    seal_file,
    write_parcel,
)
from validation.harness.sandbox.hostile_json import raised

if TYPE_CHECKING:
    from validation.harness.pool.fork_server import ForkServer

# Seconds to wait for a child's end after it closed its channel, as ending CUDA takes seconds.
DYING_SECONDS = 10.0
KILL_SECONDS = 5.0
SERVER_ENDED = "the fork server ended"
# Message for each `ChildEnded.why` of a child that exceeded a limit.
LIMITS = {
    "memory": "it used more memory than it may",
    "disk": "it wrote more files than it may",
    "threads": "it started more threads than it may",
    "processes": "it started more processes than it may",
}


class NoAnswer(Exception):
    """A child gave no answer to a request. The message is a sentence without a period."""


class ChildEnded(NoAnswer):
    """A child ended. `status`: exit status as in `subprocess`, or None if it never ran."""

    def __init__(self, status: int | None, why: str) -> None:
        super().__init__(LIMITS.get(why) or _ending(status, why))
        self.status, self.why = status, why


class DeadlinePassed(NoAnswer):
    """A child did not answer in time, and was killed with all processes that it started.

    compiling: whether the time for compiling was used up, not the time for running.
    """

    def __init__(self, *, compiling: bool = False) -> None:
        super().__init__("it took too long")
        self.compiling = compiling


class Forged(NoAnswer):
    """The channel or the result was not written by this project's code."""


class Broken(NoAnswer):
    """A child reported that it can't serve requests any more."""


class ServerEnded(Exception):
    """The fork server ended, and all of its children with it."""

    def __init__(self) -> None:
        super().__init__(SERVER_ENDED)


class Closed(Exception):
    """The pool is shutting down."""


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    header: Any
    blobs: list[memoryview]


class Child:
    """A child process that serves one request after the other until it is released.

    role: name of its current role, or an empty text. A role answers the steps of requests.
    served: number of entries that it has served.
    compile_seconds: time in which it compiled kernels.
    """

    def __init__(self, server: ForkServer, number: int, channel: Channel) -> None:
        self.server, self.number, self.channel = server, number, channel
        self.role, self.served, self.compile_seconds = "", 0, 0.0
        self._end: Mapping[str, Any] = {}
        self._over = threading.Event()

    @property
    def gone(self) -> bool:
        return self._over.is_set()

    @property
    def seconds(self) -> float:
        """The CPU time of a child that has ended."""
        return float(self._end.get("seconds", 0.0))

    def ended(self, message: Mapping[str, Any]) -> None:
        """Store the child's end status, and wake the thread that waits for its answer."""
        self._end = message
        self._over.set()
        # Shut the socket down, even if a process that the child started has the other end open.
        with suppress(OSError):
            self.channel.socket.shutdown(2)

    def ask(
        self, role: str, step: str, order: dict[str, Any], timeout: float,
        blobs: Sequence[Blob] = (), compile_budget: float = 0.0,
    ) -> ChildAnswer:  # fmt: skip
        """Send the child a request for one step, and return its answer, or raise NoAnswer.

        role: the role of the step. If the child has another role, it switches first.
        timeout: seconds, not counting time in which it compiles kernels.
        compile_budget: seconds in which it may compile kernels.
        """
        nonce = secrets.token_hex(8)
        request, result = memory_file("request"), memory_file("result")
        try:
            write_parcel(request, order, blobs)
            begin, self.role = role if role != self.role else "", role
            message = {"begin": begin, "step": step, "nonce": nonce}
            self._send(message, (request, result))
            self._wait(nonce, timeout, compile_budget)
            return self._read(result)
        finally:
            os.close(result)
            os.close(request)

    def _send(self, message: dict[str, Any], fds: Sequence[int]) -> None:
        try:
            self.channel.send(message, fds)
        except OSError:
            self._raise_end()

    def _wait(self, nonce: str, timeout: float, compile_budget: float) -> None:
        """Wait for the answer. Time in which the child compiles is taken from the compile budget.

        Attack: the entry's code pretends to compile.
        Defense: it gains only the budget.
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
        """Return the next message and its files, or None if the child closed the channel."""
        try:
            # A timeout of 0 would make the socket non-blocking.
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
        # Attack: the entry's code closes the channel but keeps running. Defense: kill it.
        if not self._over.wait(DYING_SECONDS):
            self.kill()
            raise Forged("the result channel was closed by the code that ran beside it")
        if self.server.closed:
            raise Closed
        if self._end.get("why") == SERVER_ENDED:
            raise ServerEnded
        raise ChildEnded(self._end.get("status"), self._end.get("why", ""))

    def _read(self, result: int) -> ChildAnswer:
        # Attack: the sandbox changes the open file during reading. Defense: seal it first.
        try:
            seal_file(result)
            (header, spoiled), blobs = read_parcel(result)
        except (OSError, NotAParcel, ValueError, TypeError) as error:
            self.kill()
            raise Forged(f"the result was not written by our own side: {error}") from error
        if spoiled:
            self.kill()
            raise Forged("something was written into the result file before the result was")
        if not isinstance(header, dict):
            raise Forged("a result that can't be read: no header")
        if "broken" in header:
            broken = header["broken"]
            raise Broken(broken if isinstance(broken, str) else raised(broken))
        return ChildAnswer(header, blobs)

    def kill(self) -> None:
        self.server.send("kill", self.number)
        self._over.wait(KILL_SECONDS)
        self.channel.close()

    def release(self) -> None:
        """Tell the child to end, without waiting."""
        self.channel.close()
        if not self.gone:
            self.server.send("kill", self.number)


def _ending(status: int | None, why: str) -> str:
    if status is None:
        return f"no process could be made: {why}"
    if status >= 0:
        return f"its process ended with status {status}"
    # Python names only two of the real-time signals.
    known = -status in set(signal.Signals)
    return f"its process was killed by {signal.Signals(-status).name if known else -status}"
