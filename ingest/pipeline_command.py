"""Stages of `manage.py pipeline` that belong to ingest, and its summary of the others."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from curation.export.dataset import EXAMINE, READ, REVIEW, VALIDATE, ExportOutcome, validate_command
from curation.export.extract import FOLDER
from curation.export.folder import check_target
from curation.export.gates import ExclusionReason
from curation.models import Device, IngestRun, Origin, Repository, Role
from curation.sources.load import load_sources
from curation.text import pluralize
from ingest.report import report

DATASET = "dataset"


def asked_for(texts: Sequence[str]) -> list[str]:
    """Return the named sources, or all enabled ones if `texts` is empty.

    The shipped sources are loaded in any case: a local clone of one is recognized by them.
    """
    load_sources()
    return list(texts) or list(Repository.objects.enabled().values_list("name", flat=True))


def check_folders(out: Path) -> None:
    """Refuse a foreign folder before the sources are read, which can take an hour."""
    for name in (FOLDER, DATASET):
        check_target(out / name)


def draftable(runs: Iterable[IngestRun]) -> list[Repository]:
    """Return the sources that pairs can be drafted from: code by people, no benchmarks.

    A reading that was drafted before is left out.
    """
    keys = dict.fromkeys(run.repository_id for run in runs)
    # The runs' own rows are older than their readings.
    rows = Repository.objects.in_bulk(keys)
    return [
        repository
        for repository in (rows[key] for key in keys)
        if repository.role == Role.SOURCE
        and repository.origin != Origin.INDUCTOR
        and not repository.opted_out
        and repository.last_drafting != repository.last_reading
    ]


def ingest_summary(sources: int, runs: Iterable[IngestRun]) -> str:
    """Return "2 sources -> 209 kernels, 197 standalone, in 659 files (3 left out: …)"."""
    keys = [run.repository_id for run in runs]
    rows = list(report(Repository.objects.filter(pk__in=keys)))
    kernels, standalone, files = (
        sum(getattr(row, name) for row in rows) for name in ("kernels", "standalone", "files")
    )
    drops: Counter[str] = Counter()
    for row in rows:
        drops.update(row.drops)
    # A kernel that does not stand alone is stored all the same.
    del drops["not-standalone"]
    return with_reasons(
        f"{pluralize(sources, 'source')} -> {pluralize(kernels, 'kernel')}, "
        f"{standalone:,} standalone, in {pluralize(files, 'file')}",
        drops,
    )


def export_summary(outcome: ExportOutcome) -> str:
    """Return "195 kernels and 27 pairs -> 150 kernels and 20 pairs (52 left out: …)"."""
    before, after = (
        " and ".join(pluralize(s[stage], kind[:-1]) for kind, s in sorted(outcome.funnel.items()))
        for stage in ("found", "exported")
    )
    return with_reasons(f"{before} -> {after}", outcome.left_out)


def with_reasons(line: str, left_out: Mapping[str, int] | Mapping[ExclusionReason, int]) -> str:
    if not any(left_out.values()):
        return line
    ordered = sorted(left_out.items(), key=lambda item: (-item[1], item[0]))
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in ordered if count)
    return f"{line} ({sum(left_out.values()):,} left out: {reasons})"


def next_command(outcome: ExportOutcome | None, out: Path, device: str) -> str:
    """Return the command to type after a pipeline.

    outcome: of the export, or None if it failed.
    device: where pairs were validated, or "".
    """
    if outcome is None:
        folder = shlex.quote(str(out / DATASET))
        return f"python manage.py export_dataset --include-pending --out {folder}"
    if outcome.left_out.get(ExclusionReason.UNEXAMINED):
        return EXAMINE
    if outcome.left_out.get(ExclusionReason.NOT_VALIDATED):
        return VALIDATE.format(device) if device == Device.CUDA else validate_command()
    return REVIEW if any(stages["found"] for stages in outcome.funnel.values()) else READ
