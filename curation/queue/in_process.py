"""Carrying a run out here and now, for who waits at a shell."""

from collections.abc import Callable

from django.utils import timezone

from curation.models import RunState
from curation.models.run import AnyRun


def carry_out_here(run: AnyRun, job: Callable[[int], None]) -> AnyRun:
    """Do `job` on `run` and say how it ended; nobody will try again by himself."""
    model = type(run)
    job(run.pk)
    done = model._default_manager.get(pk=run.pk)
    if done.live:
        model._default_manager.filter(pk=run.pk, state=RunState.RUNNING).update(
            state=RunState.FAILED,
            attempt_token=None,
            lease_until=None,
            finished_at=timezone.now(),
        )
        done.refresh_from_db()
    return done
