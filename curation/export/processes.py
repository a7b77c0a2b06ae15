"""Child processes of an export. If one ends abnormally, the export ends, and vice versa.

A child sends its results or its exception, which is raised in the parent.
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
# References that keep inherited connections open: closing them would close the parent's.
INHERITED: list[Any] = []


class ProcessLost(CurationError):
    """A process was killed: by the kernel for lack of memory, or by a person."""

    retry = True


class Processes(ExitStack):
    """Context manager: children end with it."""

    def begin(self, work: Callable[..., None], *arguments: Any) -> Channel:
        """Run `work` in a child process; its first argument is the child's end of the channel."""
        # SQLite's locks belong to a process, so a connection must not be inherited.
        connection.close()
        parent_end, child_end = FORK.Pipe()
        process = FORK.Process(target=_do, args=(child_end, os.getpid(), work, arguments))
        process.start()
        self.callback(_end, process)
        # Only the child keeps its end, so that the channel closes when the child dies.
        child_end.close()
        return self.enter_context(parent_end)


def send(channel: Channel, what: Any) -> None:
    try:
        channel.send(what)
    except OSError:
        raise _lost() from None


def receive(channel: Channel) -> Any:
    try:
        what = channel.recv()
    except (EOFError, OSError):
        raise _lost() from None
    if isinstance(what, BaseException):
        raise what
    return what


def _lost() -> ProcessLost:
    return ProcessLost(
        "A process of this export was killed, maybe for lack of memory. Run it again, with "
        "EXPORT_PROCESSES=1 if memory is short."
    )


def _end(process: ForkProcess) -> None:
    process.kill()
    process.join()


# --- In the child process --------- ----------------------------------------------------------
def _do(channel: Channel, parent: int, work: Callable[..., None], arguments: Any) -> None:
    _die_with(parent)
    _disown()
    try:
        work(channel, *arguments)
    except Exception as error:  # noqa: BLE001 - it is raised in the parent
        error.add_note(traceback.format_exc())
        channel.send(error)


def _disown() -> None:
    """Forget inherited connections without closing them, since the parent uses them.

    They exist if the forking thread runs an event loop, for which Django keeps another set.
    """
    for each in connections.all(initialized_only=True):
        INHERITED.append(each.connection)
        each.connection = None


def _die_with(parent: int) -> None:
    """Die with the parent. Signals to both are handled by the parent."""
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
