"""An export from its beginning to its end: draw, write, describe, remember, put in place."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from curation.export.card import write_card
from curation.export.columns import pair_columns
from curation.export.draw import KINDS, Draw, draw
from curation.export.folder import new_folder
from curation.export.formats import FORMATS
from curation.export.formats.writing import Target
from curation.export.lines import LineFile
from curation.export.manifest import describe, write_manifest
from curation.export.mixing import repeats
from curation.export.moment import one_moment
from curation.export.notices import Notices
from curation.export.options import Options
from curation.export.progress import Progress, silently
from curation.export.records import (
    Record,
    check_names,
    kernel_records,
    pair_records,
    with_texts,
)
from curation.export.remember import Members, remember_release, remember_splits
from curation.export.statistics import Statistics
from curation.models import Release

REJECTED = "REJECTED.jsonl"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an export."""

    funnel: dict[str, dict[str, int]]
    files: Sequence[dict[str, Any]] = ()
    release: Release | None = None

    def told(self) -> Iterator[str]:
        """The funnel, a line for each kind."""
        for kind, stages in self.funnel.items():
            yield f"{kind}: {' → '.join(f'{count:,} {stage}' for stage, count in stages.items())}"


def export(
    options: Options,
    out: Path,
    *,
    name: str = "",
    user: User | None = None,
    progress: Progress = silently,
) -> Outcome:
    """Write a dataset; with a `name`, keep it as a release that can be written again."""
    with new_folder(out) as folder:
        with one_moment(), LineFile(folder / REJECTED) as rejected:
            drawn = draw(options, rejected, progress)
            written = _write(drawn, options, folder, bool(name), progress)
        others = [rejected, *written.beside]
        write_card(folder, drawn, options, name, written.statistics, written.files, written.checks)
        manifest = describe(
            folder, drawn, options, name, written.statistics, written.files, others, written.checks
        )
        write_manifest(folder, manifest)
        release = None
        with written.members:
            progress("remembered", 0)
            remember_splits(drawn, options.plan)
            if name:
                release = remember_release(name, options, manifest, folder, written.members, user)
    return Outcome(drawn.funnel(), manifest["files"], release)


def dry_run(options: Options, progress: Progress = silently) -> Outcome:
    """Who would leave, without a file and without a trace."""
    with one_moment():
        return Outcome(draw(options, None, progress).funnel())


@dataclass(slots=True)
class Written:
    files: list[dict[str, Any]]
    beside: list[LineFile]
    statistics: Statistics
    checks: Sequence[str]
    members: Members


def _write(drawn: Draw, options: Options, folder: Path, keep: bool, progress: Progress) -> Written:
    statistics, notices = Statistics(), Notices(drawn.sources)
    checks = check_names(drawn.pairs)
    members = Members(keep)
    streams = {
        "pair": pair_records(drawn.pairs, drawn.sources, notices, statistics, checks),
        "kernel": kernel_records(drawn.kernels, drawn.sources, notices, statistics, options.unit),
    }
    every = (record for kind in KINDS for record in _told(streams[kind], kind, progress))
    texts = with_texts(members.kept(every), options.unit, options.with_launcher)
    files = write_records(_measured(texts, statistics), options, folder, checks)
    return Written(files, notices.write(folder), statistics, checks, members)


def write_records(
    records: Iterator[Record], options: Options, folder: Path, checks: Sequence[str]
) -> list[dict[str, Any]]:
    """Every record, with its texts, in every format that was asked for."""
    target = Target(folder, options.fenced, pair_columns(checks))
    with ExitStack() as stack:
        formats = [FORMATS[name](target, stack) for name in options.formats]
        for record in records:
            times = repeats(record.weight, record.split, options.repeat_rows)
            for written in formats:
                written.write(record, times)
    return [file for written in formats for file in written.files()]


def _measured(records: Iterator[Record], statistics: Statistics) -> Iterator[Record]:
    for record in records:
        statistics.measure(record.category, record.tokens, record.texts)
        yield record


def _told(records: Iterable[Record], kind: str, progress: Progress) -> Iterator[Record]:
    for number, record in enumerate(records):
        if not number % 1000:
            progress(f"{kind}s written", number)
        yield record
