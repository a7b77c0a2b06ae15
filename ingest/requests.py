"""Requests for an ingest, shared by the admin, the command line and the scheduler."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from curation.errors import CurationError
from curation.jobs.enqueue import enqueue
from curation.models import IngestRun, Repository, RunState
from curation.models.runs import LIVE


class NotIngested(CurationError):
    """The repository can't be ingested now."""


def request_ingest(
    repository: Repository,
    *,
    requested_by: User | None = None,
    hand_over: bool = True,
    again: bool = False,
    commit: str = "",
    retry_of: IngestRun | None = None,
) -> IngestRun:
    """Queue an ingest. If `hand_over` is False, the caller runs it instead of a worker.

    `again`: read the source even if it is unchanged. `commit`: a commit to read instead of the
    newest. `retry_of`: the run that the new run replaces.
    """
    if repository.opted_out:
        raise NotIngested(f"{repository} is opted out. Undo the opt-out first.")
    try:
        with transaction.atomic():
            run = IngestRun.objects.create(
                repository=repository,
                requested_by=requested_by,
                again=again,
                commit=commit,
                retry_of=retry_of,
            )
            if hand_over:
                enqueue(run)
    except IntegrityError:
        live = IngestRun.objects.filter(repository=repository, state__in=LIVE).first()
        if live is None:
            raise
        raise NotIngested(_sentence(live)) from None
    return run


def retry_ingest(run: IngestRun, *, requested_by: User | None, failed: bool) -> IngestRun:
    """Queue an ingest of the repository of a failed or cancelled run, at its newest commit."""
    if run.state not in (RunState.FAILED, RunState.CANCELLED):
        raise NotIngested(f"{run.label} has {run.state}: there is nothing to retry.")
    return request_ingest(run.repository, requested_by=requested_by, again=run.again, retry_of=run)


def _sentence(live: IngestRun) -> str:
    sentence = f"{live.repository} is {live.state} already, as ingest {live.pk}."
    if live.lease_until is None:
        return sentence
    seconds = max(1, round((live.lease_until - timezone.now()).total_seconds()))
    return f"{sentence} Should its process be gone, it can be read again in {seconds} seconds."
