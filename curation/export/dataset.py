"""Export of a dataset: plan, write, describe, save and publish the folder."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from curation.collector import relieved_collector
from curation.errors import CurationError
from curation.export.advice import advise
from curation.export.aside import Aside
from curation.export.card import write_card
from curation.export.columns import KERNEL, pair_columns
from curation.export.coverage import Coverage, check_release
from curation.export.draw import KINDS, Draw, draw
from curation.export.folder import new_folder
from curation.export.gates import Reason
from curation.export.lines import LineFile
from curation.export.manifest import describe, write_manifest
from curation.export.moment import one_moment
from curation.export.options import Options
from curation.export.progress import Progress, silently
from curation.export.readers import Readers, how_many
from curation.export.records import Record, completed
from curation.export.remember import remember_release, remember_splits
from curation.export.statistics import Statistics, occurring
from curation.export.writers import Writing
from curation.models import Release
from curation.tokens import tokenizer_of

REJECTED = "REJECTED.jsonl"
BATCH = 1000


class NothingToRelease(CurationError):
    """A release would be empty. Its name can't be reused."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of an export."""

    funnel: dict[str, dict[str, int]]
    left_out: Mapping[Reason, int]
    files: Sequence[dict[str, Any]] = ()
    release: Release | None = None
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def exported(self) -> int:
        return sum(stages["exported"] for stages in self.funnel.values())

    def told(self) -> Iterator[str]:
        """Yield the funnel, the benchmark coverage and, for an empty export, the next command."""
        yield from self.stages()
        if not self.exported:
            found = sum(stages["found"] for stages in self.funnel.values())
            yield from advise(found, self.left_out)

    def stages(self) -> Iterator[str]:
        for kind, stages in self.funnel.items():
            yield f"{kind}: {' → '.join(f'{count:,} {stage}' for stage, count in stages.items())}"
        yield from self.coverage.sentences()


def export(
    options: Options,
    out: Path,
    *,
    name: str = "",
    user: User | None = None,
    progress: Progress = silently,
) -> Outcome:
    """Write a dataset; with a `name`, save it as a release that can be rebuilt."""
    # Report a bad file before the work starts, and read it before processes are forked.
    tokenizer_of(options.tokenizer)
    processes = how_many()
    with new_folder(out) as folder, Aside(folder, processes + 1) as aside, relieved_collector():
        with Readers(processes, options, aside) as readers, one_moment(readers.enter):
            with LineFile(folder / REJECTED) as rejected:
                drawn = draw(options, rejected, aside, readers, progress)
            if name and not any(drawn.of(kind).pks for kind in KINDS):
                advice = "\n".join(_outcome(drawn).told())
                raise NothingToRelease(f"{name} is not a release: it would be empty.\n{advice}")
            if name and not options.without_benchmarks:
                check_release(name, drawn.coverage)
            checks, statistics = drawn.checks(), _counted(drawn)
            others = [rejected, *drawn.notices.write(folder)]
            if drawn.held_out:
                others.append(drawn.held_out.write_dropped(folder))
        files = Writing(options, folder, pair_columns(checks), KERNEL, drawn.held_out).write(
            lambda: _records(drawn, aside, checks), processes, progress
        )
        write_card(folder, drawn, options, name, statistics, files, checks)
        manifest = describe(folder, drawn, options, name, statistics, files, others, checks)
        write_manifest(folder, manifest)
        progress("remembered", 0)
        remember_splits(drawn, options.plan)
        release = None
        if name:
            members = _records(drawn, aside, checks)
            release = remember_release(name, options, manifest, folder, members, user)
    return _outcome(drawn, manifest["files"], release)


def dry_run(options: Options, progress: Progress = silently) -> Outcome:
    """Return the outcome of an export without writing a file or a row."""
    tokenizer_of(options.tokenizer)
    with (
        relieved_collector(),
        Readers(how_many(), options, None) as readers,
        one_moment(readers.enter),
    ):
        return _outcome(draw(options, None, None, readers, progress))


def _outcome(
    drawn: Draw, files: Sequence[dict[str, Any]] = (), release: Release | None = None
) -> Outcome:
    left_out = sum((drawn.ledger.reasons(kind) for kind in KINDS), Counter[Reason]())
    return Outcome(drawn.funnel(), left_out, files, release, drawn.coverage)


def _counted(drawn: Draw) -> Statistics:
    statistics = Statistics()
    for kind in KINDS:
        statistics.count(kind, drawn.of(kind), drawn.profiles)
        for profile, times in occurring(drawn.of(kind), drawn.profiles):
            drawn.notices.count(profile.notice, times)
    return statistics


def _records(drawn: Draw, aside: Aside, checks: tuple[str, ...]) -> Iterator[Record]:
    """Yield the serialized records with their final values, in output order."""
    for kind in KINDS:
        picks = drawn.of(kind)
        for batch in picks.batches(BATCH):
            rows = slice(batch.start, batch.stop)
            drawn_for = zip(
                aside.take(picks.drafts[rows]), picks.pks[rows], picks.splits[rows].tolist(),
                picks.weights[rows], picks.tokens[rows], picks.profiles[rows], strict=True,
            )  # fmt: skip
            for draft, pk, split, weight, tokens, number in drawn_for:
                identity, content_hash, metadata, spelled = draft
                if kind == "pair":
                    metadata = completed(metadata, drawn.profiles[number].checks, checks)
                yield Record(
                    kind, identity, pk, content_hash, split, weight, tokens, metadata, spelled,
                    drawn.profiles[number].language,
                )  # fmt: skip
