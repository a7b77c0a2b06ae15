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
from curation.export.card import write_card
from curation.export.columns import KERNEL, pair_columns
from curation.export.coverage import Coverage, check_release
from curation.export.folder import new_folder
from curation.export.gates import ExclusionReason
from curation.export.lines import LineFile
from curation.export.manifest import describe, write_manifest
from curation.export.options import ExportOptions
from curation.export.parallel_read import Readers, how_many
from curation.export.persist import save_release, save_splits
from curation.export.plan import KINDS, ExportPlan, build_plan
from curation.export.progress import ProgressCallback, no_progress
from curation.export.records import Record, completed
from curation.export.snapshot import db_snapshot
from curation.export.spool import Spool
from curation.export.statistics import Statistics, occurring
from curation.export.writers import Writing
from curation.models import Release
from curation.tokens import tokenizer_of

REJECTED = "REJECTED.jsonl"
BATCH = 1000


class NothingToRelease(CurationError):
    """A release would be empty. Its name can't be reused."""


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """Result of an export."""

    funnel: dict[str, dict[str, int]]
    left_out: Mapping[ExclusionReason, int]
    files: Sequence[dict[str, Any]] = ()
    release: Release | None = None
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def exported(self) -> int:
        return sum(stages["exported"] for stages in self.funnel.values())

    def lines(self) -> Iterator[str]:
        """Yield the funnel, the benchmark coverage and, for an empty export, the next command."""
        yield from self.stages()
        if not self.exported:
            examined = sum(stages["found"] for stages in self.funnel.values())
            yield from advise(examined, self.left_out)

    def stages(self) -> Iterator[str]:
        for kind, stages in self.funnel.items():
            yield f"{kind}: {' → '.join(f'{count:,} {stage}' for stage, count in stages.items())}"
        yield from self.coverage.sentences()


def export(
    options: ExportOptions,
    out: Path,
    *,
    name: str = "",
    user: User | None = None,
    progress: ProgressCallback = no_progress,
) -> ExportOutcome:
    """Write a dataset; with a `name`, save it as a release that can be rebuilt."""
    # Report a bad file before the work starts, and read it before processes are forked.
    tokenizer_of(options.tokenizer)
    processes = how_many()
    with new_folder(out) as folder, Spool(folder, processes + 1) as spool, relieved_collector():
        with Readers(processes, options, spool) as readers, db_snapshot(readers.enter):
            with LineFile(folder / REJECTED) as rejected:
                plan = build_plan(options, rejected, spool, readers, progress)
            if name and not any(plan.of(kind).pks for kind in KINDS):
                advice = "\n".join(_outcome(plan).lines())
                raise NothingToRelease(f"{name} is not a release: it would be empty.\n{advice}")
            if name and not options.without_benchmarks:
                check_release(name, plan.coverage)
            checks, statistics = plan.checks(), _counted(plan)
            others = [rejected, *plan.notices.write(folder)]
            if plan.held_out:
                others.append(plan.held_out.write_dropped(folder))
        files = Writing(options, folder, pair_columns(checks), KERNEL, plan.held_out).write(
            lambda: _records(plan, spool, checks), processes, progress
        )
        write_card(folder, plan, options, name, statistics, files, checks)
        manifest = describe(folder, plan, options, name, statistics, files, others, checks)
        write_manifest(folder, manifest)
        progress("remembered", 0)
        save_splits(plan, options.plan)
        release = None
        if name:
            members = _records(plan, spool, checks)
            release = save_release(name, options, manifest, folder, members, user)
    return _outcome(plan, manifest["files"], release)


def dry_run(options: ExportOptions, progress: ProgressCallback = no_progress) -> ExportOutcome:
    """Return the outcome of an export without writing a file or a row."""
    tokenizer_of(options.tokenizer)
    with (
        relieved_collector(),
        Readers(how_many(), options, None) as readers,
        db_snapshot(readers.enter),
    ):
        return _outcome(build_plan(options, None, None, readers, progress))


def _outcome(
    plan: ExportPlan, files: Sequence[dict[str, Any]] = (), release: Release | None = None
) -> ExportOutcome:
    left_out = sum((plan.ledger.reasons(kind) for kind in KINDS), Counter[ExclusionReason]())
    return ExportOutcome(plan.funnel(), left_out, files, release, plan.coverage)


def _counted(plan: ExportPlan) -> Statistics:
    statistics = Statistics()
    for kind in KINDS:
        statistics.count(kind, plan.of(kind), plan.profiles)
        for profile, times in occurring(plan.of(kind), plan.profiles):
            plan.notices.count(profile.notice, times)
    return statistics


def _records(plan: ExportPlan, spool: Spool, checks: tuple[str, ...]) -> Iterator[Record]:
    """Yield the serialized records with their final values, in output order."""
    for kind in KINDS:
        selected = plan.of(kind)
        for batch in selected.batches(BATCH):
            rows = slice(batch.start, batch.stop)
            drawn_for = zip(
                spool.take(selected.drafts[rows]), selected.pks[rows],
                selected.splits[rows].tolist(), selected.weights[rows], selected.tokens[rows],
                selected.profiles[rows], strict=True,
            )  # fmt: skip
            for draft, pk, split, weight, tokens, number in drawn_for:
                identity, content_hash, metadata, spelled = draft
                if kind == "pair":
                    metadata = completed(metadata, plan.profiles[number].checks, checks)
                yield Record(
                    kind, identity, pk, content_hash, split, weight, tokens, metadata, spelled,
                    plan.profiles[number].language,
                )  # fmt: skip
