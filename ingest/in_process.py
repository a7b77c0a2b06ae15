"""Run of an ingest in this process, for a person at a shell."""

from curation.jobs.in_process import carry_out_here
from curation.jobs.sweep import sweep
from curation.models import IngestRun, Repository, RunState
from ingest.jobs import ingest
from ingest.requests import request_ingest


def ingest_now(repository: Repository, *, again: bool = False, commit: str = "") -> IngestRun:
    """Run an ingest in this process. Raises its error if it fails."""
    run = _waiting(repository) or request_ingest(
        repository, hand_over=False, again=again, commit=commit
    )
    return carry_out_here(run, ingest)


def _waiting(repository: Repository) -> IngestRun | None:
    """Return a queued run without a worker, also one left by a killed process."""
    sweep()
    return IngestRun.objects.filter(repository=repository, state=RunState.QUEUED).first()
