"""A child of a fork server, as seen from the trusted side."""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
    from validation.harness.fork_server import ForkServer

# A killed process closes its channel before its CUDA context, which takes a busy driver seconds.
DYING_SECONDS = 10.0
KILL_SECONDS = 5.0
# `ChildEnded.why` of a child that ended with its fork server.
SERVER_ENDED = "the fork server ended"
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class ChildEnded(Exception):
    """A child ended before it answered. `status` as a shell has it, None if it never began."""

    def __init__(self, status: int | None, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class DeadlinePassed(Exception):
    """A child did not answer in time, and was killed with all that it started."""


class Forged(Exception):
    """Something other than our own side wrote into the channel or the result."""


class Closed(Exception):
    """The whole run is being ended."""


@dataclass(frozen=True, slots=True)
class Answer:
    header: Any
    blobs: list[memoryview]


class Child:
    """A process that does one task after the other until it is released.

    served: how many roles it has taken up.
    spoiled: whether a task in it did not pass. It then gets no other entry.
    """

    def __init__(self, server: ForkServer, number: int, channel: Channel) -> None:
        self.server, self.number, self.channel = server, number, channel
        self.served, self.spoiled = 0, False
        self._end: Mapping[str, Any] = {}
        self._over = threading.Event()

    @property
    def gone(self) -> bool:
        return self._over.is_set()

    def ended(self, message: Mapping[str, Any]) -> None:
        """Keep how the child ended, and wake the thread that waits for its answer."""
        self._end = message
        self._over.set()
        # Close it also if a process that the child left behind has its other end open.
        with suppress(OSError):
            self.channel.socket.shutdown(2)

    def ask(
        self, begin: str, step: str, order: dict[str, Any], timeout: float,
        blobs: Sequence[Blob] = (),
    ) -> Answer:  # fmt: skip
        """Have the child do one step, and return its answer.

        begin: the role to take up first, or "" to go on in the present one.
        """
        nonce = secrets.token_hex(8)
        request, result = memory_file("request"), memory_file("result")
        try:
            write_parcel(request, order, blobs)
            message = {"begin": begin, "step": step, "nonce": nonce}
            received = self._exchange(message, (request, result), timeout)
            if received is None:
                self._raise_end()
            elif received[0] != {"done": nonce} or received[1]:
                for fd in received[1]:
                    os.close(fd)
                self.kill()
                raise Forged("a message that is not ours was written to the result channel")
            return self._read(result)
        finally:
            self.served += bool(begin)
            os.close(result)
            os.close(request)

    def _exchange(
        self, message: dict[str, Any], fds: Sequence[int], timeout: float
    ) -> tuple[dict[str, Any], list[int]] | None:
        """Send a message, and return the next one from the child, or None if it is gone."""
        try:
            self.channel.send(message, fds)
            return self.channel.receive(timeout)
        except TimeoutError as error:
            self.kill()
            raise DeadlinePassed from error
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

    def _read(self, result: int) -> Answer:
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
        return Answer(header, blobs)

    def kill(self) -> None:
        self.server.send("kill", self.number)
        self._over.wait(KILL_SECONDS)
        self.channel.close()

    def release(self) -> None:
        """End the child, without waiting for its end."""
        self.channel.close()
        if not self.gone:
            self.server.send("kill", self.number)
