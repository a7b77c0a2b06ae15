"""An attempt at a run: claimed, renewed and finished by compare-and-set on its token.

Whatever a job writes, it writes in a transaction that also renews the attempt: a worker that
was given up and comes back to life finds its token gone and can change nothing.
"""

import logging
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Case, F, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.utils import timezone

from curation.errors import CurationError
from curation.logs.about import about
from curation.models import Run, RunState
from curation.queue.heartbeat import beating
from curation.queue.in_process import at_shell
from curation.queue.journal import Journal, storable

log = logging.getLogger(__name__)

AnyRun = TypeVar("AnyRun", bound=Run)


class LeaseLost(BaseException):
    """The attempt ran out of time, was cancelled, or was given to another worker.

    No Exception: what survives any failure of a file or an entry must not survive this.
    """


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
        """Extend the lease, write `columns` (progress), or learn that it is lost."""
        if not self._update(lease_until=_lease_end(), **columns):
            raise self.lost()

    def tell(self, stage: str, done: int, total: int = 0, **columns: Any) -> None:
        """Write how far the run is, and extend the lease."""
        self.renew(**self._progress(stage, done, total), **columns)

    def tell_later(self, stage: str, done: int, total: int = 0) -> None:
        """Let the heartbeat write how far the run is: the caller's connection only reads."""
        self.check()
        self._later = self._progress(stage, done, total)

    def check(self) -> None:
        """Raise if the heartbeat saw that the lease is lost. Costs nothing."""
        if self._lost:
            raise self.lost()

    def beat(self) -> bool:
        """Extend the lease when it is time, write what is new. False: the lease is lost."""
        row = self.model._default_manager.filter(pk=self.pk).values_list("state", "attempt_token")
        for state, token in row:
            if (state, token) == (RunState.RUNNING, self.token):
                self._lost = not self._write_news()
            else:
                self._lost = not self._ended
        # A claim whose transaction has not committed is not visible here.
        return not self._lost

    def lost(self) -> LeaseLost:
        name = self.model._meta.verbose_name
        return LeaseLost(f"{name} {self.pk} was cancelled, or belongs to another attempt")

    def succeed(self, **columns: Any) -> None:
        self._end(RunState.SUCCEEDED, message="", **columns)

    def fail(self, message: str, **columns: Any) -> None:
        """End it for good: trying again would give the same."""
        self._end(RunState.FAILED, message=storable(message), **columns)

    def give_up(self, message: str) -> None:
        """Let the lease run out now, so that the sweeper tries again or ends it."""
        self._update(lease_until=Now(), message=storable(message))

    def _progress(self, stage: str, done: int, total: int) -> dict[str, Any]:
        """The columns that say how far it is. A new stage begins its own pace."""
        if stage != self._stage:
            self._stage = stage
            self.journal.write(f"{stage}: {done:,} of {total:,}" if total else stage)
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
        # Before the row says so: a heartbeat in between must not take this end for a loss.
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
        stage="",
        stage_started_at=None,
    )
    return Attempt(model, pk, token) if taken else None


def carry_out(
    model: type[AnyRun], pk: int, work: Callable[[AnyRun, Attempt[AnyRun]], None]
) -> None:
    """Do `work` on a run, once. Every job is one call of this.

    `work` ends by `attempt.succeed`. What a person can mend ends the run as failed, with its
    sentence; what may pass by itself is tried again by the sweeper, unless a person waits at a
    shell; any other fault is tried again too, and raised, so that rq shows it.
    """
    attempt = claim(model, pk)
    if attempt is None:
        return
    run = model._default_manager.get(pk=pk)
    source = getattr(run, "repository", None)
    attempt.journal = journal = Journal(run.log)
    facts = {"run": f"{model._meta.model_name}-{pk}", "attempt": run.attempts, "journal": journal}
    with about(**facts, repository=source), journal.listening():
        try:
            _try(run, attempt, work)
        finally:
            # Also the lines of a cancelled attempt, but not of one that another replaced.
            if (lines := journal.news()) is not None:
                model._default_manager.filter(pk=pk, attempts=run.attempts).update(log=lines)


def _try(
    run: AnyRun, attempt: Attempt[AnyRun], work: Callable[[AnyRun, Attempt[AnyRun]], None]
) -> None:
    began, name = time.monotonic(), f"{run.label} ({run.subject})"

    def say(level: int, how: str) -> None:
        log.log(level, "%s %s", name, how, extra={"duration": round(time.monotonic() - began, 3)})
        attempt.journal.write(f"Attempt {run.attempts} {how}")

    log.info("%s begins", name)
    attempt.journal.write(f"Attempt {run.attempts} begins")
    try:
        _do(run, attempt, work, say)
    except LeaseLost:
        if not connection.in_atomic_block:
            # It may have been interrupted in the middle of a statement.
            connection.close()
        say(logging.WARNING, "was cancelled, or goes on elsewhere: this attempt wrote nothing more")


def _do(
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
    """By the database's clock: the sweeper may run on another host, whose clock differs."""
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)
