"""Entry points of rq: a few lines each, over plain functions."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from curation.errors import CurationError
from curation.evidence.claim_facts import refresh_open_claims
from curation.evidence.clusters import place_changed
from curation.evidence.opt_outs import mark_opted_out
from curation.evidence.progress import JobProgress
from curation.evidence.refresh import refresh_similarity
from curation.evidence.subjects import KERNEL, seen_in
from curation.evidence.triage import triage
from curation.jobs.attempt import Attempt, carry_out
from curation.models import (
    Condition,
    Drop,
    IngestRun,
    Kernel,
    Origin,
    Provenance,
    Repository,
    Role,
)
from ingest.candidate import Item
from ingest.compiled import FILES, compiled_kernels
from ingest.confined.reader import Reader
from ingest.git import Selection, Snapshot, SourceKind, fetch
from ingest.git.errors import RepositoryNotFound
from ingest.git.submodules import Submodule, submodule
from ingest.github_status import update_status
from ingest.local_clones import remote_of
from ingest.mirrors import remove_unused_mirrors
from ingest.persist import Ledger
from ingest.persist.licenses import kept_readings, license_reader
from ingest.pipeline import EVERYTHING, reach, read, rules
from ingest.progress import RunProgress
from ingest.requests import request_ingest
from ingest.sources import network, readable_source, take_up_submodule


def ingest(run_pk: int) -> None:
    """Read one repository, once."""
    carry_out(IngestRun, run_pk, _ingest)
    # Also here, because the scheduler may run on another host.
    remove_unused_mirrors()


def _ingest(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
    repository = run.repository
    if repository.opted_out:
        raise CurationError(f"{repository} was opted out before this ingest began.")
    progress = RunProgress(attempt)
    snapshot = _fetch(run, progress)
    update_status(repository)
    run.commit = snapshot.commit
    reading = _reading(repository, snapshot)
    if reading == repository.last_reading and not run.again:
        attempt.succeed(commit=run.commit, stage="unchanged")
        return
    with snapshot.open() as tree, Reader(license_reader(), progress, tree) as reader:
        items = read(snapshot, tree, _named(repository), reader, progress)
        if repository.origin == Origin.INDUCTOR:
            items = compiled_kernels(items)
        funnel = _store(run, attempt, items, reader, progress)
    _succeed(run, attempt, funnel, reading, _submodules(repository, snapshot))


def _fetch(run: IngestRun, progress: RunProgress) -> Snapshot:
    repository = run.repository
    source = readable_source(repository)
    # The commit was named by the request, or found by an earlier attempt.
    ref = "" if source.kind is SourceKind.FOLDER else run.commit or repository.ref
    if repository.origin == Origin.FOLDER:
        _note_remote(repository, is_clone=source.kind is SourceKind.REPOSITORY)
    try:
        return fetch(
            source,
            mirrors=settings.DATA_DIR / "mirrors",
            ref=ref,
            selection=reach(_named(repository), repository.submodules),
            progress=progress.fetching,
            network=network(),
        )
    except RepositoryNotFound as error:
        Repository.objects.filter(pk=repository.pk).update(
            condition=Condition.VANISHED, condition_note=str(error)
        )
        raise


def _note_remote(repository: Repository, *, is_clone: bool) -> None:
    """Store the GitHub repository that a local clone names."""
    repository.clone_of = remote_of(Path(repository.url)) if is_clone else ""
    Repository.objects.filter(pk=repository.pk).update(clone_of=repository.clone_of)


def _store(
    run: IngestRun,
    attempt: Attempt[IngestRun],
    items: Iterator[Item],
    reader: Reader,
    progress: RunProgress,
) -> dict[str, int]:
    """Write the items and the evidence of all rows. Return the count of each kind of item."""
    ledger = Ledger(run, attempt, reader.evidence)
    ledger.store_all(items)
    kept_readings().write()
    ledger.close()
    _judge(run.repository, attempt, progress)
    return dict(ledger.funnel)


def _judge(repository: Repository, attempt: Attempt[IngestRun], progress: RunProgress) -> None:
    """Compute the evidence that needs all rows: opt-outs, near-duplicates, rules that reject."""
    places = Provenance.objects.filter(source_file__repository=repository)
    with transaction.atomic():
        attempt.renew()
        mark_opted_out(places)
    subjects, watch = seen_in(repository), JobProgress(renew=attempt.renew, report=progress)
    KERNEL.mark_uncounted(subjects.rows(KERNEL).values_list("pk", flat=True))
    # Near-duplicates depend on settled licenses and retired rows.
    refresh_similarity(subjects, watch)
    # A benchmark's problems may overlap the kernels of any source.
    is_benchmark = repository.role == Role.BENCHMARK
    kernels = Kernel.objects.all() if is_benchmark else subjects.rows(KERNEL)
    if triage(kernels, attempt.renew):
        # A rejected item no longer represents others.
        place_changed(subjects, watch)
    refresh_open_claims(subjects, renew=attempt.renew)


def _submodules(repository: Repository, snapshot: Snapshot) -> dict[str, Submodule | CurationError]:
    """Return the listed submodules by path, or the reason why one has no source."""
    submodules: dict[str, Submodule | CurationError] = {}
    for path in repository.submodules:
        try:
            submodules[path] = submodule(snapshot, path)
        except CurationError as error:
            submodules[path] = error
    return submodules


def _succeed(
    run: IngestRun,
    attempt: Attempt[IngestRun],
    funnel: Mapping[str, int],
    reading: str,
    submodules: Mapping[str, Submodule | CurationError],
) -> None:
    with transaction.atomic():
        # Together: the next run would find the source unchanged and queue no submodule.
        _queue_submodules(run, submodules)
        attempt.succeed(stage="done", funnel=funnel)
        Repository.objects.filter(pk=run.repository_id).update(
            last_commit=run.commit,
            last_reading=reading,
            last_ingested_at=timezone.now(),
        )


def _queue_submodules(run: IngestRun, submodules: Mapping[str, Submodule | CurationError]) -> None:
    """Queue each submodule as a source of its own, because its kernels are there."""
    for path, target in submodules.items():
        try:
            if isinstance(target, CurationError):
                raise target
            source = take_up_submodule(run.repository, target)
            request_ingest(source, requested_by=run.requested_by)
        except CurationError as error:
            Drop.objects.create(
                run=run, stage="read", path=path, reason="submodule", message=str(error)
            )


def _named(repository: Repository) -> Selection:
    if repository.origin == Origin.INDUCTOR:
        return FILES
    return Selection(
        include=tuple(repository.include_globs) or EVERYTHING,
        exclude=tuple(repository.exclude_globs),
        sparse_paths=tuple(repository.sparse_paths),
    )


def _reading(repository: Repository, snapshot: Snapshot) -> str:
    """Return a hash of the read files and the rules: an equal hash would give equal rows."""
    selection = _named(repository)
    parts = [
        *rules(),
        snapshot.commit,
        selection.include,
        selection.exclude,
        selection.sparse_paths,
    ]
    return hashlib.sha256(json.dumps([*parts, repository.role]).encode()).hexdigest()
