"""Carry out a run in this process, for a person at a shell."""

from collections.abc import Callable
from contextvars import ContextVar

from curation.errors import CurationError
from curation.models import RunState
from curation.models.runs import AnyRun

# True while this process carries out a run for a person at a shell, not for the queue.
at_shell: ContextVar[bool] = ContextVar("at_shell", default=False)


class NotSucceeded(CurationError):
    """The run at a shell failed, or another process has it."""


def carry_out_here(run: AnyRun, job: Callable[[int], None]) -> AnyRun:
    """Do `job` on `run` and return its row. Raise NotSucceeded with the message of its failure.

    The queue does not retry it.
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
