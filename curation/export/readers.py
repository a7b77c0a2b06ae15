"""Parallel readers: one process for each core, all in one database snapshot.

Each takes the next range of rows when it is done with one, and sends all results at the end. Small
exports are read by this process alone.
"""

import os
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from django.conf import settings
from django.db import connection

from curation.export.aside import Aside
from curation.export.moment import same_moment
from curation.export.options import Options
from curation.export.processes import Channel, Processes, tell, told
from curation.export.progress import Progress
from curation.export.selection import Found, Selecting
from curation.models import Kernel, Pair

# Row count up to which this process reads alone: starting others takes longer.
FEW = 20_000


def how_many() -> int:
    """Return the number of readers; 0 inside a transaction, whose rows others can't see."""
    if connection.in_atomic_block:
        return 0
    configured: int = settings.EXPORT_PROCESSES
    if not configured and not any(kind.objects.all()[FEW:].exists() for kind in (Kernel, Pair)):
        return 0
    many = configured or len(os.sched_getaffinity(0))
    return many if many > 1 else 0


class Readers(Processes):
    """Context manager. Fork before opening the snapshot, so that no connection is inherited."""

    def __init__(self, processes: int, options: Options, aside: Aside | None) -> None:
        super().__init__()
        self._channels: list[Channel] = []
        try:
            for number in range(1, processes + 1):
                self._channels.append(self.begin(_read, number, options, aside))
        except BaseException:
            self.close()
            raise

    @property
    def enter(self) -> Callable[[str], None] | None:
        """Return a function that makes the readers join a snapshot; None without readers."""
        return self._enter if self._channels else None

    def weigh(self, selecting: Selecting, progress: Progress) -> None:
        """Examine all items, here or by the readers."""
        seen = {"kernel": 0, "pair": 0}
        stretches = selecting.stretches()
        if not self._channels:
            for kind, stretch in stretches:
                progress(f"{kind}s weighed", seen[kind])
                seen[kind] += selecting.weigh(kind, stretch)
        for kind, count in self._weighed(stretches, selecting):
            seen[kind] += count
            progress(f"{kind}s weighed", seen[kind])

    def _enter(self, moment: str) -> None:
        for channel in self._channels:
            tell(channel, moment)
        for channel in self._channels:
            told(channel)

    def _weighed(self, stretches: Iterator[Any], selecting: Selecting) -> Iterator[tuple[str, int]]:
        waiting = list(self._channels)
        for channel in waiting:
            tell(channel, next(stretches, None))
        while waiting:
            for channel in [one for one in wait(waiting) if isinstance(one, Connection)]:
                message = told(channel)
                if isinstance(message, Found):
                    selecting.absorb(message)
                    waiting.remove(channel)
                else:
                    tell(channel, next(stretches, None))
                    yield message


def _read(channel: Channel, number: int, options: Options, aside: Aside | None) -> None:
    """Main function of a reader."""
    with same_moment(channel.recv()):
        channel.send(None)
        if aside:
            aside.begin(number)
        selecting = Selecting(options, aside)
        while stretch := channel.recv():
            kind, within = stretch
            channel.send((kind, selecting.weigh(kind, within)))
        channel.send(selecting.found())
