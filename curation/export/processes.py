"""Processes that an export begins: they end with it, and it with any of them.

What one sends is what it has found, or what went wrong, which is raised where somebody can be told.
"""

import ctypes
import os
import signal
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any, TypeAlias

from django.db import connection, connections

from curation.errors import CurationError

Channel: TypeAlias = "Connection[Any, Any]"

FORK = get_context("fork")
# What is forgotten is closed, and so would be its owner's.
INHERITED: list[Any] = []


class ProcessLost(CurationError):
    """A process was killed: by the system, which had no memory left, or by a person."""

    retry = True


class Processes(ExitStack):
    """A context: whatever is begun in it is gone after it."""

    def begin(self, work: Callable[..., None], *arguments: Any) -> Channel:
        """Do this work in another process; its first argument is that one's end of the channel."""
        # SQLite's locks belong to a process, and a connection is no other one's.
        connection.close()
        ours, theirs = FORK.Pipe()
        process = FORK.Process(target=_do, args=(theirs, os.getpid(), work, arguments))
        process.start()
        self.callback(_end, process)
        # Held by nobody but that process, so that it closes when that one dies.
        theirs.close()
        return self.enter_context(ours)


def tell(channel: Channel, what: Any) -> None:
    try:
        channel.send(what)
    except OSError:
        raise _lost() from None


def told(channel: Channel) -> Any:
    try:
        what = channel.recv()
    except (EOFError, OSError):
        raise _lost() from None
    if isinstance(what, BaseException):
        raise what
    return what


def _lost() -> ProcessLost:
    return ProcessLost(
        "A process of this export was killed, maybe for want of memory. Run it again, with "
        "EXPORT_PROCESSES=1 where memory is short."
    )


def _end(process: ForkProcess) -> None:
    process.kill()
    process.join()


# --- In the process that was begun ----------------------------------------------------------
def _do(channel: Channel, parent: int, work: Callable[..., None], arguments: Any) -> None:
    _die_with(parent)
    _disown()
    try:
        work(channel, *arguments)
    except Exception as error:  # noqa: BLE001 - it is raised where somebody can be told
        error.add_note(traceback.format_exc())
        channel.send(error)


def _disown() -> None:
    """Leave alone the connections that this process was born with: they are another's. There are
    some where the thread that forked runs an event loop, for which Django keeps another set."""
    for each in connections.all(initialized_only=True):
        INHERITED.append(each.connection)
        each.connection = None


def _die_with(parent: int) -> None:
    """Whoever ends the export ends this; a signal for both is the export's to answer."""
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
