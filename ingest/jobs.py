"""Run of an ingest, in an rq worker or in the process of a person's shell."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from curation.errors import CurationError
from curation.evidence.claim_sheet.claim_facts import refresh_open_claims
from curation.evidence.clusters import place_changed
from curation.evidence.opt_outs import mark_opted_out
from curation.evidence.progress import JobProgress
from curation.evidence.refresh import refresh_similarity
from curation.evidence.subjects import KERNEL, seen_in
from curation.evidence.triage import triage
from curation.jobs.attempt import Attempt, at_shell, carry_out, carry_out_here
from curation.jobs.sweep import sweep
from curation.models import (
    Condition,
    Drop,
    IngestRun,
    Kernel,
    Origin,
    Provenance,
    Repository,
    Role,
    RunState,
)
from curation.progress_bar import Bar
from ingest.candidate import Item
from ingest.compiled import compiled_kernels
from ingest.confined.reader import Reader
from ingest.git import Progress, Snapshot, SourceKind, fetch
from ingest.git.errors import RepositoryNotFound
from ingest.git.submodules import submodule
from ingest.github_status import update_status
from ingest.local_clones import remote_of
from ingest.mirrors import remove_unused_mirrors
from ingest.persist import Ledger
from ingest.persist.licenses import kept_readings, license_reader
from ingest.pipeline import reach, read, rules
from ingest.requests import request_ingest
from ingest.sources import network, readable_source, take_up_submodule, wanted_files

# Seconds between progress reports. Each report is a write to the database.
PROGRESS_SECONDS = 1.0


def ingest(run_pk: int) -> None:
    """Carry out an ingest run once. rq calls this function as the job."""
    carry_out(IngestRun, run_pk, _ingest)
    # The scheduler removes unused mirrors too, but may run on another host.
    remove_unused_mirrors()


def ingest_now(repository: Repository, *, again: bool = False, commit: str = "") -> IngestRun:
    """Run an ingest in this process. Raises its error if it fails."""
    sweep()
    # Perhaps no worker is running, and a killed process may have left a queued run.
    waiting = IngestRun.objects.filter(repository=repository, state=RunState.QUEUED).first()
    run = waiting or request_ingest(repository, hand_over=False, again=again, commit=commit)
    return carry_out_here(run, ingest)


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
        items = read(snapshot, tree, wanted_files(repository), reader, progress)
        if repository.origin == Origin.INDUCTOR:
            items = compiled_kernels(items, repository.stated)
        funnel = _store(run, attempt, items, reader, progress)
    _succeed(run, attempt, funnel, reading, snapshot)


def _fetch(run: IngestRun, progress: RunProgress) -> Snapshot:
    repository = run.repository
    source = readable_source(repository)
    # A run has a commit if its request named it, or if an earlier attempt fetched it.
    ref = "" if source.kind is SourceKind.FOLDER else run.commit or repository.ref
    if repository.origin == Origin.FOLDER:
        _note_remote(repository, is_clone=source.kind is SourceKind.REPOSITORY)
    try:
        return fetch(
            source,
            mirrors=settings.DATA_DIR / "mirrors",
            ref=ref,
            selection=reach(wanted_files(repository), repository.submodules),
            progress=progress.fetching,
            network=network(),
        )
    except RepositoryNotFound as error:
        Repository.objects.filter(pk=repository.pk).update(
            condition=Condition.VANISHED, condition_note=str(error)
        )
        raise


def _note_remote(repository: Repository, *, is_clone: bool) -> None:
    """Store the GitHub repository that the configuration of a local clone names."""
    repository.clone_of = remote_of(Path(repository.url)) if is_clone else ""
    Repository.objects.filter(pk=repository.pk).update(clone_of=repository.clone_of)


def _store(
    run: IngestRun,
    attempt: Attempt[IngestRun],
    items: Iterator[Item],
    reader: Reader,
    progress: RunProgress,
) -> dict[str, int]:
    """Write the items and the evidence of all rows. Return the number of items of each kind."""
    ledger = Ledger(run, attempt, reader.evidence)
    ledger.store_all(items)
    kept_readings().write()
    ledger.close()
    _judge(run.repository, attempt, progress)
    return dict(ledger.funnel)


def _judge(repository: Repository, attempt: Attempt[IngestRun], progress: RunProgress) -> None:
    """Compute evidence that depends on all rows: opt-outs, near-duplicates, rejection rules."""
    places = Provenance.objects.filter(source_file__repository=repository)
    with transaction.atomic():
        attempt.renew()
        mark_opted_out(places)
    subjects, watch = seen_in(repository), JobProgress(renew=attempt.renew, report=progress)
    KERNEL.mark_uncounted(subjects.rows(KERNEL).values_list("pk", flat=True))
    # This follows licenses and retirement, because both affect the choice of representatives.
    refresh_similarity(subjects, watch)
    # A new benchmark's problems may overlap with kernels of any source.
    is_benchmark = repository.role == Role.BENCHMARK
    kernels = Kernel.objects.all() if is_benchmark else subjects.rows(KERNEL)
    if triage(kernels, attempt.renew):
        # This follows the rejections: a rejected item can't be the representative of a cluster.
        place_changed(subjects, watch)
    refresh_open_claims(subjects, renew=attempt.renew)


def _succeed(
    run: IngestRun,
    attempt: Attempt[IngestRun],
    funnel: Mapping[str, int],
    reading: str,
    snapshot: Snapshot,
) -> None:
    with transaction.atomic():
        # One transaction, because a repeated run would find the source unchanged and queue none.
        _queue_submodules(run, snapshot)
        attempt.succeed(stage="done", funnel=funnel)
        Repository.objects.filter(pk=run.repository_id).update(
            last_commit=run.commit,
            last_reading=reading,
            last_ingested_at=timezone.now(),
        )


def _queue_submodules(run: IngestRun, snapshot: Snapshot) -> None:
    """Queue an ingest of each listed submodule. Each submodule is a source of its own."""
    for path in run.repository.submodules:
        try:
            source = take_up_submodule(run.repository, submodule(snapshot, path))
            request_ingest(source, requested_by=run.requested_by)
        except CurationError as error:
            Drop.objects.create(
                run=run, stage="read", path=path, reason="submodule", message=str(error)
            )


def _reading(repository: Repository, snapshot: Snapshot) -> str:
    """Return a hash of the input and the rules. Runs with the same hash store the same rows."""
    selection = wanted_files(repository)
    parts = [
        *rules(),
        snapshot.commit,
        selection.include,
        selection.exclude,
        selection.sparse_paths,
    ]
    return hashlib.sha256(json.dumps([*parts, repository.role]).encode()).hexdigest()


class RunProgress:
    """Progress callback for each file. Stores progress and renews the lease once a second."""

    def __init__(self, attempt: Attempt[IngestRun]) -> None:
        self._attempt = attempt
        self._told = ("", 0.0)
        self._bar = Bar(sys.stderr, lines=at_shell.get())

    def __call__(self, stage: str, done: int, total: int) -> None:
        last_stage, at = self._told
        if stage == last_stage and time.monotonic() - at < PROGRESS_SECONDS:
            return
        self._told = (stage, time.monotonic())
        self._attempt.tell(stage, done, total)
        self._bar.show(stage, done, total)

    def fetching(self, progress: Progress) -> None:
        self(progress.stage[:40], progress.received_bytes, 0)
