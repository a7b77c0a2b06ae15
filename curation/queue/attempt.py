"""An attempt at a run: claimed, renewed and finished by compare-and-set on its token.

Whatever a job writes, it writes in a transaction that also renews the attempt: a worker that
was given up and comes back to life finds its token gone and can change nothing.
"""

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from curation.errors import CurationError
from curation.logs.about import about
from curation.models import Run, RunState
from curation.queue.heartbeat import beating

log = logging.getLogger(__name__)

AnyRun = TypeVar("AnyRun", bound=Run)


class LeaseLost(Exception):
    """The attempt ran out of time, was cancelled, or was given to another worker."""


@dataclass(frozen=True, slots=True)
class Attempt(Generic[AnyRun]):
    """The right to work on one run until the lease ends or is renewed."""

    model: type[AnyRun]
    pk: int
    token: uuid.UUID

    def renew(self, **columns: Any) -> None:
        """Extend the lease, write `columns` (progress), or learn that it is lost."""
        if not self._update(lease_until=_lease_end(), **columns):
            raise LeaseLost(f"{self.model._meta.verbose_name} {self.pk} belongs to another attempt")

    def beat(self) -> bool:
        """Extend the lease; False: it is lost."""
        return self._update(lease_until=_lease_end())

    def succeed(self, **columns: Any) -> None:
        self._end(RunState.SUCCEEDED, message="", **columns)

    def fail(self, message: str, **columns: Any) -> None:
        """End it for good: trying again would give the same."""
        self._end(RunState.FAILED, message=message, **columns)

    def give_up(self, message: str) -> None:
        """Let the lease run out now, so that the sweeper tries again or ends it."""
        self._update(lease_until=timezone.now(), message=message)

    def _end(self, state: RunState, **columns: Any) -> None:
        ended = self._update(
            state=state,
            attempt_token=None,
            lease_until=None,
            finished_at=timezone.now(),
            **columns,
        )
        if not ended:
            raise LeaseLost(f"{self.model._meta.verbose_name} {self.pk} belongs to another attempt")

    def _update(self, **columns: Any) -> bool:
        rows = self.model._default_manager.filter(
            pk=self.pk, state=RunState.RUNNING, attempt_token=self.token
        )
        return rows.update(**columns) == 1


def claim(model: type[AnyRun], pk: int) -> Attempt[AnyRun] | None:
    """Take a queued run, or None: somebody has it, or it has ended."""
    token = uuid.uuid4()
    now = timezone.now()
    taken = model._default_manager.filter(pk=pk, state=RunState.QUEUED).update(
        state=RunState.RUNNING,
        attempts=F("attempts") + 1,
        attempt_token=token,
        lease_until=_lease_end(),
        started_at=now,
        message="",
    )
    return Attempt(model, pk, token) if taken else None


def carry_out(
    model: type[AnyRun], pk: int, work: Callable[[AnyRun, Attempt[AnyRun]], None]
) -> None:
    """Do `work` on a run, once. Every job is one call of this.

    `work` ends by `attempt.succeed`. What a person can mend ends the run as failed, with its
    sentence; what may pass by itself is tried again by the sweeper; any other fault is tried
    again too, and raised, so that rq shows it.
    """
    attempt = claim(model, pk)
    if attempt is None:
        return
    run = model._default_manager.get(pk=pk)
    source = getattr(run, "repository", None)
    with about(run=f"{model._meta.model_name}-{pk}", attempt=run.attempts, repository=source):
        _try(run, attempt, work)


def _try(
    run: AnyRun, attempt: Attempt[AnyRun], work: Callable[[AnyRun, Attempt[AnyRun]], None]
) -> None:
    began = time.monotonic()

    def say(level: int, how: str) -> None:
        log.log(level, "%s %s", run, how, extra={"duration": round(time.monotonic() - began, 3)})

    log.info("%s begins", run)
    try:
        with beating(attempt.beat):
            work(run, attempt)
    except LeaseLost:
        say(logging.WARNING, "goes on elsewhere, or was cancelled: this attempt wrote nothing more")
    except CurationError as error:
        if error.retry and run.attempts < settings.MOST_ATTEMPTS:
            say(logging.WARNING, f"is tried again: {error}")
            attempt.give_up(str(error))
        else:
            say(logging.INFO, f"failed: {error}")
            attempt.fail(str(error))
    except BaseException as error:
        say(logging.WARNING, f"is tried again: {type(error).__name__}")
        attempt.give_up(f"{type(error).__name__}: {error}")
        raise
    else:
        say(logging.INFO, "succeeded")


def _lease_end() -> Any:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
