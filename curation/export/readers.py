"""The processes that weigh and draft, one for each core, all at one moment of the database.

Each takes the next stretch of rows once it is done with one, and tells at the end all that it has
found. A few rows are read by this process alone. A reader that dies ends the export, and an export
that dies its readers.
"""

import ctypes
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

from django.conf import settings
from django.db import connection, connections

from curation.errors import CurationError
from curation.export.aside import Aside
from curation.export.moment import same_moment
from curation.export.options import Options
from curation.export.progress import Progress
from curation.export.selection import Found, Selecting
from curation.models import Kernel, Pair

# Fewer rows than this are read before other processes have begun.
FEW = 20_000
# What is forgotten is closed, and so would be its owner's.
INHERITED: list[Any] = []


class ReaderLost(CurationError):
    """A process was killed: by the system, which had no memory left, or by a person."""

    retry = True


def how_many() -> int:
    """How many processes to begin; none inside a transaction, whose rows nobody else sees."""
    if connection.in_atomic_block:
        return 0
    asked: int = settings.EXPORT_PROCESSES
    if not asked and not any(kind.objects.all()[FEW:].exists() for kind in (Kernel, Pair)):
        return 0
    many = asked or len(os.sched_getaffinity(0))
    return many if many > 1 else 0


class Readers(ExitStack):
    """A context: begun before the moment, so that no connection is carried into another process."""

    def __init__(self, processes: int, options: Options, aside: Aside | None) -> None:
        super().__init__()
        self._channels: list[Connection[Any, Any]] = []
        if processes:
            connection.close()
        try:
            for number in range(1, processes + 1):
                self._begin(number, options, aside)
        except BaseException:
            self.close()
            raise

    @property
    def enter(self) -> Callable[[str], None] | None:
        """Has the readers enter a moment; none where there are none."""
        return self._enter if self._channels else None

    def weigh(self, selecting: Selecting, progress: Progress) -> None:
        """All of it, here or by the readers."""
        seen = {"kernel": 0, "pair": 0}
        stretches = selecting.stretches()
        if not self._channels:
            for kind, stretch in stretches:
                progress(f"{kind}s weighed", seen[kind])
                seen[kind] += selecting.weigh(kind, stretch)
        for kind, count in self._weighed(stretches, selecting):
            seen[kind] += count
            progress(f"{kind}s weighed", seen[kind])

    def _begin(self, number: int, options: Options, aside: Aside | None) -> None:
        ours, theirs = FORK.Pipe()
        process = FORK.Process(target=_read, args=(theirs, os.getpid(), number, options, aside))
        process.start()
        self.callback(_end, process)
        # Held by nobody but the reader, so that it closes when that one dies.
        theirs.close()
        self._channels.append(self.enter_context(ours))

    def _enter(self, moment: str) -> None:
        for channel in self._channels:
            _tell(channel, moment)
        for channel in self._channels:
            _told(channel)

    def _weighed(self, stretches: Iterator[Any], selecting: Selecting) -> Iterator[tuple[str, int]]:
        waiting = list(self._channels)
        for channel in waiting:
            _tell(channel, next(stretches, None))
        while waiting:
            for channel in [one for one in wait(waiting) if isinstance(one, Connection)]:
                told = _told(channel)
                if isinstance(told, Found):
                    selecting.absorb(told)
                    waiting.remove(channel)
                else:
                    _tell(channel, next(stretches, None))
                    yield told


FORK = get_context("fork")


def _tell(channel: "Connection[Any, Any]", what: Any) -> None:
    try:
        channel.send(what)
    except OSError:
        raise _lost() from None


def _told(channel: "Connection[Any, Any]") -> Any:
    try:
        told = channel.recv()
    except (EOFError, OSError):
        raise _lost() from None
    if isinstance(told, BaseException):
        raise told
    return told


def _lost() -> ReaderLost:
    return ReaderLost(
        "A process of this export was killed, maybe for want of memory. Run it again, with "
        "EXPORT_PROCESSES=1 where memory is short."
    )


def _end(process: ForkProcess) -> None:
    process.kill()
    process.join()


# --- In the reader --------------------------------------------------------------------------
def _read(
    channel: "Connection[Any, Any]", parent: int, number: int, options: Options, aside: Aside | None
) -> None:
    _die_with(parent)
    _disown()
    try:
        with same_moment(channel.recv()):
            channel.send(None)
            if aside:
                aside.begin(number)
            selecting = Selecting(options, aside)
            while stretch := channel.recv():
                kind, within = stretch
                channel.send((kind, selecting.weigh(kind, within)))
            channel.send(selecting.found())
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
