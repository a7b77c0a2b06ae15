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

from curation.export.options import ExportOptions
from curation.export.processes import Channel, Processes, receive, send
from curation.export.progress import ProgressCallback
from curation.export.selection import ItemSelector, SelectionResult
from curation.export.snapshot import join_snapshot
from curation.export.spool import Spool
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

    def __init__(self, processes: int, options: ExportOptions, spool: Spool | None) -> None:
        super().__init__()
        self._channels: list[Channel] = []
        try:
            for number in range(1, processes + 1):
                self._channels.append(self.begin(_read, number, options, spool))
        except BaseException:
            self.close()
            raise

    @property
    def enter(self) -> Callable[[str], None] | None:
        """Return a function that makes the readers join a snapshot; None without readers."""
        return self._enter if self._channels else None

    def weigh(self, selector: ItemSelector, progress: ProgressCallback) -> None:
        """Examine all items, here or by the readers."""
        seen = {"kernel": 0, "pair": 0}
        stretches = selector.stretches()
        if not self._channels:
            for kind, stretch in stretches:
                progress(f"{kind}s weighed", seen[kind])
                seen[kind] += selector.weigh(kind, stretch)
        for kind, count in self._weighed(stretches, selector):
            seen[kind] += count
            progress(f"{kind}s weighed", seen[kind])

    def _enter(self, moment: str) -> None:
        for channel in self._channels:
            send(channel, moment)
        for channel in self._channels:
            receive(channel)

    def _weighed(
        self, stretches: Iterator[Any], selector: ItemSelector
    ) -> Iterator[tuple[str, int]]:
        waiting = list(self._channels)
        for channel in waiting:
            send(channel, next(stretches, None))
        while waiting:
            for channel in [one for one in wait(waiting) if isinstance(one, Connection)]:
                message = receive(channel)
                if isinstance(message, SelectionResult):
                    selector.absorb(message)
                    waiting.remove(channel)
                else:
                    send(channel, next(stretches, None))
                    yield message


def _read(channel: Channel, number: int, options: ExportOptions, spool: Spool | None) -> None:
    """Main function of a reader."""
    with join_snapshot(channel.recv()):
        channel.send(None)
        if spool:
            spool.begin(number)
        selector = ItemSelector(options, spool)
        while stretch := channel.recv():
            kind, within = stretch
            channel.send((kind, selector.weigh(kind, within)))
        channel.send(selector.found())
