"""Separation of programs that share a sandbox.

Attack: one program opens another's /proc/PID/mem, /proc/PID/fd or folder, or signals it. All run as
one user, so only Landlock prevents that.
Defense: before it runs untrusted code, each program enters its own Landlock domain, process group
and system call filter. Without Landlock, one program runs at a time.
"""

import os
import platform
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path

from validation.harness.sandbox import restrictions, seccomp
from validation.harness.sandbox.command import reachable
from validation.harness.sandbox.confinement import Confinement, Level

Domain = Mapping[str, list[str]]
"""The paths that a program may read and the devices that it may use, for `enter_landlock`."""

# Version 1 refuses all renames between folders, which Triton's cache needs.
LEAST_VERSION = 2


def is_separable() -> bool:
    """Return whether this kernel can isolate the programs of one sandbox from each other."""
    return restrictions.landlock_version() >= LEAST_VERSION


def confined_by(level: Level) -> str:
    """Return a description of the programs' confinement, for the environment of a result."""
    return str(level) if is_separable() else f"{level}, one program at a time"


def domain(confinement: Confinement) -> Domain | None:
    """Return the Landlock rules for programs of a sandbox, or None if they must run one at a time.

    `seal` adds the program's own folder. The rules hide other processes in /proc: the
    command line of a compiler there would reveal the folder of another program.
    """
    if not is_separable():
        return None
    rules = reachable(confinement)
    own, writable = ["/proc/self"], []
    if confinement.gpu:
        own = [str(path) for path in Path("/proc").iterdir() if not path.name.isdigit()]
        # CUDA names its threads there, and fails to start if it can't (driver 580, 2026-11-26).
        writable = ["/proc/self"]
    readable = [*rules["readable"], *own]
    return {"readable": readable, "writable": writable, "devices": rules["devices"]}


def protect_parent() -> None:
    """Deny child processes access to this process's memory and files, and adopt orphans."""
    restrictions.prctl(restrictions.PR_SET_DUMPABLE, 0)
    restrictions.prctl(restrictions.PR_SET_CHILD_SUBREAPER, 1)


def unprotect() -> None:
    """Make /proc/self readable again in a child, because the CUDA driver reads it."""
    restrictions.prctl(restrictions.PR_SET_DUMPABLE, 1)


def seal(
    domain: Domain | None,
    folder: str,
    *,
    programs: bool,
    limits: Mapping[str, int] | None = None,
    unlisted: Sequence[str] = (),
) -> None:
    """Restrict this process to `folder` and to what `domain` allows.

    domain: None if no other program runs meanwhile.
    programs: whether it may start other processes.
    limits: resource limits by name, lower than those of the sandbox.

    Takes 1.5 ms, 0.5 of that for the domain (medians of 50 forks, 2026-11-26).
    """
    restrictions.prctl(restrictions.PR_SET_PDEATHSIG, 9)
    os.setpgid(0, 0)
    for name, value in {"RLIMIT_CORE": 0, **(limits or {})}.items():
        restrictions.set_limit(getattr(resource, name), value)
    if domain is not None:
        writable = [folder, *domain["writable"]]
        restrictions.enter_landlock(domain["readable"], writable, domain["devices"], unlisted)
    if (machine := platform.machine()) in seccomp.AUDIT_ARCH:
        program = seccomp.neighbor_filter(machine, os.getpid(), programs=programs)
        restrictions.filter_system_calls(program)
