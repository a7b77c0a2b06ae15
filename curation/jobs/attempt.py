"""Attempts at a run: claimed, renewed and finished by compare-and-set on a token.

A job writes its results in transactions that also renew the attempt. If a worker resumes after its
lease ran out, its token is no longer valid, so that it can't write results.
"""

import logging
import time
import traceback
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic

from django.conf import settings
from django.db import connection
from django.db.models import Case, F, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.utils import timezone

from curation.errors import CurationError
from curation.jobs.heartbeat import beating
from curation.jobs.journal import Journal, storable
from curation.models import RunState
from curation.models.runs import AnyRun
from curation.operations.logs import about

log = logging.getLogger(__name__)

# True while this process carries out a run for a person at a shell, not for the queue.
at_shell: ContextVar[bool] = ContextVar("at_shell", default=False)


class LeaseLost(BaseException):
    """An error because the attempt timed out, was cancelled, or was given to another worker.

    It is a BaseException, so that `except Exception` around a part of the work can't catch it.
    """


class NotSucceeded(CurationError):
    """An error because a run at a shell failed, or because another process has claimed it."""


@dataclass(slots=True)
class Attempt(Generic[AnyRun]):
    """The right to work on one run until the lease ends or is renewed."""

    model: type[AnyRun]
    pk: int
    token: uuid.UUID
    journal: Journal = field(default_factory=Journal)
    _stage: str = ""
    _later: dict[str, Any] = field(default_factory=dict)
    _renewed: float = field(default_factory=time.monotonic)
    _lost: bool = False
    _ended: bool = False

    def renew(self, **columns: Any) -> None:
        """Extend the lease and write `columns`. Raise LeaseLost if the lease is lost."""
        if not self._update(lease_until=_lease_end(), **columns):
            raise self.lost()

    def tell(self, stage: str, done: int, total: int = 0, **columns: Any) -> None:
        """Write the progress and extend the lease."""
        self.renew(**self._progress(stage, done, total), **columns)

    def tell_later(self, stage: str, done: int, total: int = 0) -> None:
        """Let the heartbeat write the progress, because the caller may only read."""
        self.check()
        self._later = self._progress(stage, done, total)

    def check(self) -> None:
        """Raise LeaseLost if the heartbeat found the lease lost. This makes no query."""
        if self._lost:
            raise self.lost()

    def beat(self) -> bool:
        """Extend the lease when due, and write new log lines. Return False if the lease is lost."""
        row = self.model._default_manager.filter(pk=self.pk).values_list("state", "attempt_token")
        for state, token in row:
            if (state, token) == (RunState.RUNNING, self.token):
                self._lost = not self._write_news()
            else:
                self._lost = not self._ended
        # If there is no row, the transaction that created the run has not been committed yet.
        return not self._lost

    def lost(self) -> LeaseLost:
        name = self.model._meta.verbose_name
        return LeaseLost(f"{name} {self.pk} was cancelled, or belongs to another attempt")

    def succeed(self, **columns: Any) -> None:
        self._end(RunState.SUCCEEDED, message="", **columns)

    def fail(self, message: str, **columns: Any) -> None:
        """Fail the run without a retry, because another attempt would give the same result."""
        self._end(RunState.FAILED, message=storable(message), **columns)

    def give_up(self, message: str) -> None:
        """End the lease now, so that the sweeper retries or ends the run."""
        self._update(lease_until=Now(), message=storable(message))

    def _progress(self, stage: str, done: int, total: int) -> dict[str, Any]:
        """Return the columns of the progress. The pace is measured separately for each stage."""
        if stage != self._stage:
            self._stage = stage
            self.journal.write(f"{stage}: {total:,}" if total else stage)
        same = When(stage=stage, stage_started_at__isnull=False, then=F("stage_started_at"))
        return {
            "stage": stage,
            "done": done,
            "total": total,
            "stage_started_at": Case(same, default=Value(timezone.now())),
            "stage_from": Case(
                When(stage=stage, stage_started_at__isnull=False, then=F("stage_from")),
                default=Value(done),
            ),
        }

    def _write_news(self) -> bool:
        columns, self._later = self._later, {}
        if (lines := self.journal.news()) is not None:
            columns["log"] = lines
        if not columns and time.monotonic() - self._renewed < settings.LEASE_SECONDS / 4:
            return True
        return self._update(lease_until=_lease_end(), **columns)

    def _end(self, state: RunState, **columns: Any) -> None:
        # Set before the row changes, so that a heartbeat in between does not see a lost lease.
        self._ended = True
        ended = self._update(
            state=state,
            attempt_token=None,
            lease_until=None,
            finished_at=timezone.now(),
            **columns,
        )
        if not ended:
            raise self.lost()

    def _update(self, **columns: Any) -> bool:
        rows = self.model._default_manager.filter(
            pk=self.pk, state=RunState.RUNNING, attempt_token=self.token
        )
        updated = rows.update(**columns) == 1
        self._renewed = time.monotonic()
        return updated


def claim(model: type[AnyRun], pk: int) -> Attempt[AnyRun] | None:
    """Claim a queued run. Return None if another process has claimed it, or if it has ended."""
    token = uuid.uuid4()
    now = timezone.now()
    claimed = model._default_manager.filter(pk=pk, state=RunState.QUEUED).update(
        state=RunState.RUNNING,
        attempts=F("attempts") + 1,
        attempt_token=token,
        lease_until=_lease_end(),
        started_at=now,
        message="",
        stage="",
        stage_started_at=None,
    )
    return Attempt(model, pk, token) if claimed else None


def carry_out(
    model: type[AnyRun], pk: int, work: Callable[[AnyRun, Attempt[AnyRun]], None]
) -> None:
    """Claim a run and do `work` on it. Every job is one call of this function.

    `work` calls `attempt.succeed` at its end. An error that a person can fix fails the run, and its
    sentence is stored. After a temporary error, the sweeper retries the run, unless a person waits
    at a shell. After any other exception the run is retried too, and rq shows the exception.
    """
    attempt = claim(model, pk)
    if attempt is None:
        return
    run = model._default_manager.get(pk=pk)
    attempt.journal = journal = Journal(run.log)
    began, name = time.monotonic(), f"{run.label} ({run.subject})"

    def say(level: int, how: str) -> None:
        log.log(level, "%s %s", name, how, extra={"duration": round(time.monotonic() - began, 3)})
        journal.write(f"Attempt {run.attempts} {how}")

    facts = {"run": f"{model._meta.model_name}-{pk}", "attempt": run.attempts, "journal": journal}
    with about(**facts, repository=getattr(run, "repository", None)), journal.listening():
        log.info("%s begins", name)
        journal.write(f"Attempt {run.attempts} begins")
        try:
            _try(run, attempt, work, say)
        except LeaseLost:
            if not connection.in_atomic_block:
                # The lost lease may have interrupted a statement, so close the connection.
                connection.close()
            say(logging.WARNING, "ended: the run was cancelled, or another worker continues it")
        finally:
            # Save the lines of a cancelled attempt too, but not if another attempt has replaced it.
            if (lines := journal.news()) is not None:
                model._default_manager.filter(pk=pk, attempts=run.attempts).update(log=lines)


def carry_out_here(run: AnyRun, job: Callable[[int], None]) -> AnyRun:
    """Do `job` on `run` for a person at a shell, without retries. Return the ended run.

    Raise NotSucceeded with the run's message if it fails.
    """
    before = at_shell.set(True)
    try:
        job(run.pk)
    finally:
        at_shell.reset(before)
    done = type(run)._default_manager.get(pk=run.pk)
    if done.state != RunState.SUCCEEDED:
        elsewhere = f"{run} is {done.state}: another process has it, or ended it."
        raise NotSucceeded(done.message or elsewhere)
    return done


def _try(
    run: AnyRun,
    attempt: Attempt[AnyRun],
    work: Callable[[AnyRun, Attempt[AnyRun]], None],
    say: Callable[[int, str], None],
) -> None:
    try:
        with beating(attempt.beat, attempt.lost):
            work(run, attempt)
    except LeaseLost:
        raise
    except CurationError as error:
        if error.retry and run.attempts < run.most_attempts and not at_shell.get():
            say(logging.WARNING, f"is tried again: {error}")
            attempt.give_up(str(error))
        else:
            say(logging.INFO, f"failed: {error}")
            attempt.fail(str(error))
    except BaseException as error:
        again = run.attempts < run.most_attempts and not at_shell.get()
        say(logging.WARNING, f"{'is tried again' if again else 'stopped'}: {type(error).__name__}")
        attempt.journal.write("".join(traceback.format_tb(error.__traceback__)))
        attempt.give_up(f"{type(error).__name__}: {error}")
        raise
    else:
        say(logging.INFO, "succeeded")


def _lease_end() -> Combinable:
    """Return the end of the lease by the database's clock.

    The sweeper may run on another host with another clock.
    """
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)
