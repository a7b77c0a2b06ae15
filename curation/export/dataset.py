"""An export from its beginning to its end: draw, write, describe, remember, put in place."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from curation.export.aside import Aside
from curation.export.card import write_card
from curation.export.collector import relieved_collector
from curation.export.columns import pair_columns
from curation.export.draw import KINDS, Draw, draw
from curation.export.folder import new_folder
from curation.export.formats import FORMATS
from curation.export.formats.writing import Target
from curation.export.lines import LineFile
from curation.export.manifest import describe, write_manifest
from curation.export.mixing import repeats
from curation.export.moment import one_moment
from curation.export.options import Options
from curation.export.progress import Progress, silently
from curation.export.readers import Readers, how_many
from curation.export.records import Record, completed
from curation.export.remember import remember_release, remember_splits
from curation.export.statistics import Statistics, occurring
from curation.models import Release

REJECTED = "REJECTED.jsonl"
BATCH = 1000


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
    processes = how_many()
    with new_folder(out) as folder, Aside(folder, processes + 1) as aside, relieved_collector():
        with Readers(processes, options, aside) as readers, one_moment(readers.enter):
            with LineFile(folder / REJECTED) as rejected:
                drawn = draw(options, rejected, aside, readers, progress)
            checks, statistics = drawn.checks(), _counted(drawn)
            records = _told(_records(drawn, aside, checks), progress)
            files = write_records(records, options, folder, checks)
            others = [rejected, *drawn.notices.write(folder)]
        write_card(folder, drawn, options, name, statistics, files, checks)
        manifest = describe(folder, drawn, options, name, statistics, files, others, checks)
        write_manifest(folder, manifest)
        progress("remembered", 0)
        remember_splits(drawn, options.plan)
        release = None
        if name:
            members = _records(drawn, aside, checks)
            release = remember_release(name, options, manifest, folder, members, user)
    return Outcome(drawn.funnel(), manifest["files"], release)


def dry_run(options: Options, progress: Progress = silently) -> Outcome:
    """Who would leave, without a file and without a trace."""
    with (
        relieved_collector(),
        Readers(how_many(), options, None) as readers,
        one_moment(readers.enter),
    ):
        return Outcome(draw(options, None, None, readers, progress).funnel())


def write_records(
    records: Iterator[Record], options: Options, folder: Path, checks: Sequence[str]
) -> list[dict[str, Any]]:
    """Every record, with its texts, in every format that was asked for."""
    target = Target(folder, options.fenced, pair_columns(checks))
    with ExitStack() as stack:
        formats = [FORMATS[name](target, stack) for name in options.formats]
        while batch := list(islice(records, BATCH)):
            for (kind, split), alike in _by_file(batch, options).items():
                for written in formats:
                    written.write(kind, split, alike)
    return [file for written in formats for file in written.files()]


def _by_file(records: Sequence[Record], options: Options) -> dict[tuple[str, int], list[Record]]:
    """Each as often as it stands there."""
    grouped: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        grouped.setdefault((record.kind, record.split), []).extend(
            [record] * repeats(record.weight, record.split, options.repeat_rows)
        )
    return grouped


def _told(records: Iterator[Record], progress: Progress) -> Iterator[Record]:
    for number, record in enumerate(records):
        if not number % BATCH:
            progress("records written", number)
        yield record


def _counted(drawn: Draw) -> Statistics:
    statistics = Statistics()
    for kind in KINDS:
        statistics.count(kind, drawn.of(kind), drawn.profiles)
        for profile, times in occurring(drawn.of(kind), drawn.profiles):
            drawn.notices.count(profile.notice, times)
    return statistics


def _records(drawn: Draw, aside: Aside, checks: tuple[str, ...]) -> Iterator[Record]:
    """The drafts with what was drawn for them, in the order in which they are written."""
    for kind in KINDS:
        picks = drawn.of(kind)
        for batch in picks.batches(BATCH):
            here = slice(batch.start, batch.stop)
            drawn_for = zip(
                aside.take(picks.drafts[here]), picks.pks[here], picks.splits[here].tolist(),
                picks.weights[here], picks.tokens[here], picks.profiles[here], strict=True,
            )  # fmt: skip
            for draft, pk, split, weight, tokens, number in drawn_for:
                identity, content_hash, metadata, spelled = draft
                if kind == "pair":
                    metadata = completed(metadata, drawn.profiles[number].checks, checks)
                yield Record(
                    kind, identity, pk, content_hash, split, weight, tokens, metadata, spelled
                )  # fmt: skip
