"""Compile check of kernels: ahead of time, for a named target, without a GPU, in the sandbox."""

from validation.compile.judge import TARGET, Judge, TrialLauncher
from validation.compile.outcome import (
    CompileAnswer,
    Compiled,
    Environment,
    LaunchOutcome,
    Reason,
    Unit,
)
from validation.compile.resources import Resources
from validation.harness.pool.fork_server import ForkServerFailed
