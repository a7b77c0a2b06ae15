"""Asking for an ingest: the one way for the admin, the command line and the scheduler."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from curation.errors import CurationError
from curation.models import IngestRun, Repository
from curation.models.run import LIVE
from curation.queue.enqueue import enqueue


class NotIngested(CurationError):
    """This repository can't be ingested now."""


def request_ingest(
    repository: Repository, *, requested_by: User | None = None, hand_over: bool = True
) -> IngestRun:
    """Queue an ingest. Without `hand_over` the caller carries it out itself."""
    if repository.opted_out:
        raise NotIngested(f"{repository} is opted out. Undo the opt-out first.")
    try:
        with transaction.atomic():
            run = IngestRun.objects.create(repository=repository, requested_by=requested_by)
            if hand_over:
                enqueue(run)
    except IntegrityError:
        live = IngestRun.objects.filter(repository=repository, state__in=LIVE).first()
        if live is None:
            raise
        raise NotIngested(f"{repository} is {live.state} already, as ingest {live.pk}.") from None
    return run
