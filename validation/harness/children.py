"""A process that a sandboxed parent forked, as seen from the trusted side."""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from validation.harness.channel import (
    Blob,
    Channel,
    NotAParcel,
    memory_file,
    read_parcel,
    write_parcel,
)

if TYPE_CHECKING:
    from validation.harness.nursery import Nursery

# A process that is killed closes its channel before its GPU's context, which takes a busy driver
# seconds, and is gone after that.
DYING_SECONDS = 10.0


class ChildEnded(Exception):
    """A child ended before it answered. `status` as a shell has it, None if it never began."""

    def __init__(self, status: int | None, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class DeadlinePassed(Exception):
    """A child did not answer in time, and was killed with all that it started.

    `compiling`: it used up the time for compiling, and not the time for running.
    """

    def __init__(self, *, compiling: bool = False) -> None:
        super().__init__("compiling" if compiling else "running")
        self.compiling = compiling


class Forged(Exception):
    """Something other than our own side wrote into the channel or the result."""


class Closed(Exception):
    """The whole run is being ended."""


@dataclass(frozen=True, slots=True)
class Answer:
    header: Any
    blobs: list[memoryview]
    seconds: float


class Child:
    """A process that does the tasks it is asked to, one after the other, until it is released."""

    def __init__(self, nursery: Nursery, number: int, channel: Channel) -> None:
        self.nursery, self.number, self.channel = nursery, number, channel
        self.served = 0
        self.compile_seconds = 0.0
        # What ran in it did not pass: no other entry is sent there.
        self.spoiled = False
        self._end: dict[str, Any] | None = None
        self._over = threading.Event()

    @property
    def gone(self) -> bool:
        return self._over.is_set()

    def ended(self, message: Mapping[str, Any]) -> None:
        self._end = dict(message)
        self._over.set()
        # Wakes a waiting thread, also if a process that it left behind holds the other end.
        try:
            self.channel.socket.shutdown(2)
        except OSError:
            return

    def ask(
        self, begin: str, step: str, order: dict[str, Any], timeout: float,
        blobs: Sequence[Blob] = (), box: int | None = None, compile_budget: float = 0.0,
    ) -> Answer:  # fmt: skip
        """Return the child's answer.

        begin: the role to take up first; empty: go on in the one it has.
        timeout: seconds, without those in which it compiles kernels.
        box: a sealed parcel to hand over in place of `order` and `blobs`.
        compile_budget: seconds in which it may compile kernels.
        """
        started = time.monotonic()
        nonce = secrets.token_hex(8)
        request = memory_file("request") if box is None else box
        result = memory_file("result")
        try:
            if box is None:
                write_parcel(request, order, blobs)
            self._send({"begin": begin, "step": step, "nonce": nonce}, (request, result))
            self._wait(nonce, timeout, compile_budget)
            return self._read(result, time.monotonic() - started)
        finally:
            self.served += bool(begin)
            os.close(result)
            if box is None:
                os.close(request)

    def _send(self, message: dict[str, Any], fds: Sequence[int]) -> None:
        try:
            self.channel.send(message, fds)
        except OSError:
            self._raise_end()

    def _wait(self, nonce: str, timeout: float, compile_budget: float) -> None:
        """Wait for the answer. While the child says that it compiles, only the budget for that
        runs down. An entry's code could say so too: it gains the budget, and no more."""
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
            elif fds or message != {"done": nonce}:
                for fd in fds:
                    os.close(fd)
                self.kill()
                raise Forged("a message that is not ours was written to the result channel")
            else:
                return

    def _receive(self, left: float, *, compiling: bool) -> tuple[dict[str, Any], list[int]] | None:
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
        # The channel may be closed by the entry's code, and the process live on.
        if not self._over.wait(DYING_SECONDS):
            self.kill()
            raise Forged("the result channel was closed by the code that ran beside it")
        end = self._end or {}
        if self.nursery._closed:
            raise Closed
        raise ChildEnded(end.get("status"), end.get("why", ""))

    def _read(self, result: int, seconds: float) -> Answer:
        # The sandbox holds this file too: nothing in it can change once it is sealed.
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        try:
            fcntl.fcntl(result, fcntl.F_ADD_SEALS, seals)
            (header, spoiled), blobs = read_parcel(result)
        except (OSError, NotAParcel, ValueError, TypeError) as error:
            self.kill()
            raise Forged(f"the result was written by somebody else: {error}") from error
        if spoiled:
            self.kill()
            raise Forged("something was written into the result file before the result was")
        return Answer(header, blobs, seconds)

    def kill(self) -> None:
        self.nursery.order("kill", self.number)
        self._over.wait(5.0)
        self.channel.close()

    def release(self) -> None:
        """Let the child end: it ends when it sees the closed channel, or is killed."""
        self.channel.close()
        if not self.gone:
            self.nursery.order("kill", self.number)
