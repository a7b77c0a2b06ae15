"""Retries of ended runs. Each kind of run decides which part is repeated."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.module_loading import import_string

from curation.errors import CurationError
from curation.models.runs import LIVE, AnyRun


class NotRetried(CurationError):
    """An error because a run has no part to retry."""


def retry(run: AnyRun, *, by: User | None = None, failed: bool = False) -> AnyRun:
    """Queue the failed part of `run` again, and return the new run, which links to it.

    Idempotent: while a retry of `run` is live, that retry is returned. `failed`: also repeat items
    whose verdict may change: error, timeout and failed.
    """
    model = type(run)
    rows = model._default_manager
    with transaction.atomic():
        # A concurrent request waits for this lock, and then finds the run that this one queued.
        rows.select_for_update().get(pk=run.pk)
        live = rows.filter(retry_of=run, state__in=LIVE).first()
        if live is not None:
            return live
        if run.live:
            raise NotRetried(f"{run.label} is {run.state}: cancel it first, or wait for its end.")
        queued: AnyRun = import_string(run.RETRY)(run, requested_by=by, failed=failed)
        return queued
