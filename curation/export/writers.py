"""Writers of all requested formats.

Each format is written by a process of its own if there are several: all read the same drafts, and
none needs the database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from curation.export.columns import Columns
from curation.export.formats import FORMATS
from curation.export.formats.writing import FormatTarget
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.held_out import HeldOut
from curation.export.mixing import repeats
from curation.export.options import ExportOptions
from curation.export.processes import Channel, Processes, receive
from curation.export.progress import ProgressCallback, no_progress
from curation.export.records import Record

BATCH = 1000

Records: TypeAlias = Callable[[], Iterator[Record]]
"""Function that yields the records in output order, from the start at each call."""
Files: TypeAlias = list[dict[str, Any]]
"""Entries of the manifest."""


@dataclass(frozen=True, slots=True)
class Writing:
    options: ExportOptions
    folder: Path
    pair_columns: Columns
    kernel_columns: Columns
    held_out: HeldOut | None = None

    def write(
        self, records: Records, processes: int = 0, progress: ProgressCallback = no_progress
    ) -> Files:
        names = [*self.options.formats, *([HELD_OUT] if self.held_out else [])]
        first, *others = names
        if not processes:
            return self._formats(names, _counted(records(), progress))
        with Processes() as writers:
            channels = [writers.begin(self._write_there, name, records) for name in others]
            files = self._formats([first], _counted(records(), progress))
            for channel in channels:
                files += receive(channel)
            return files

    def _write_there(self, channel: Channel, name: str, records: Records) -> None:
        channel.send(self._formats([name], records()))

    def _formats(self, names: Sequence[str], records: Iterator[Record]) -> Files:
        target = FormatTarget(
            self.folder,
            self.options.fenced,
            pair_columns=self.pair_columns,
            kernel_columns=self.kernel_columns,
            held_out=self.held_out,
        )
        with ExitStack() as stack:
            formats = [FORMATS[name](target, stack) for name in names]
            while batch := list(islice(records, BATCH)):
                for (kind, split), alike in self._by_file(batch).items():
                    for written in formats:
                        written.write(kind, split, alike)
        return [file for written in formats for file in written.files()]

    def _by_file(self, records: Sequence[Record]) -> dict[tuple[str, int], list[Record]]:
        """Group records by file, repeated as often as their weight demands."""
        grouped: dict[tuple[str, int], list[Record]] = {}
        for record in records:
            grouped.setdefault((record.folder_kind, record.split), []).extend(
                [record] * repeats(record.weight, record.split, self.options.repeat_rows)
            )
        return grouped


def _counted(records: Iterator[Record], progress: ProgressCallback) -> Iterator[Record]:
    for number, record in enumerate(records):
        if not number % BATCH:
            progress("records written", number)
        yield record
