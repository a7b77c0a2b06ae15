"""Carrying an ingest out in this process, for a person who waits at a shell."""

from curation.models import IngestRun, Repository, RunState
from curation.queue.in_process import carry_out_here
from curation.queue.sweep import sweep
from ingest.jobs import ingest
from ingest.requests import request_ingest


def ingest_now(repository: Repository, *, again: bool = False, commit: str = "") -> IngestRun:
    """Carry an ingest out in this process; raises with its sentence where it fails."""
    run = _waiting(repository) or request_ingest(
        repository, hand_over=False, again=again, commit=commit
    )
    return carry_out_here(run, ingest)


def _waiting(repository: Repository) -> IngestRun | None:
    """A run that nobody works on: queued, or left behind by a process that was killed."""
    sweep()
    return IngestRun.objects.filter(repository=repository, state=RunState.QUEUED).first()
