"""Compile check of kernels: ahead of time, for a named target, without a GPU, in the sandbox."""

from validation.compile.judge import TARGET, Judge, Launcher
from validation.compile.outcome import Answer, Environment, Launch, Outcome, Reason, Unit
from validation.compile.resources import Resources
from validation.harness.fork_server import ForkServerFailed

__all__ = [
    "TARGET",
    "Answer",
    "Environment",
    "ForkServerFailed",
    "Judge",
    "Launch",
    "Launcher",
    "Outcome",
    "Reason",
    "Resources",
    "Unit",
]
