"""Does a kernel compile? Ahead of time, for a named target, without a GPU, in the sandbox."""

from validation.compile.judge import TARGET, Judge, WorkerUnavailable
from validation.compile.outcome import Answer, Environment, Outcome, Reason, Unit

__all__ = [
    "TARGET",
    "Answer",
    "Environment",
    "Judge",
    "Outcome",
    "Reason",
    "Unit",
    "WorkerUnavailable",
]
