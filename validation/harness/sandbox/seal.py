"""Separation of programs that share a sandbox.

Attack: one program opens another's /proc/PID/mem, /proc/PID/fd or folder, or signals it. All run
as one user, so only Landlock refuses that. Defense: before it runs untrusted code, each program
enters a Landlock domain, a process group and a system call filter of its own. Without Landlock one
program runs at a time.
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

# Version 1 refuses each move between folders, which Triton's cache depends on.
LEAST_VERSION = 2


def is_separable(version: int | None = None) -> bool:
    """Return whether this kernel can keep programs of one sandbox apart."""
    if version is None:
        version = restrictions.landlock_version()
    return version >= LEAST_VERSION


def at_once(wanted: int, version: int | None = None) -> int:
    """Return how many programs of one sandbox may run at once, `wanted` at most."""
    return wanted if is_separable(version) else 1


def confined_by(level: Level, version: int | None = None) -> str:
    """Return the confinement of programs in words, for a result's environment."""
    return str(level) if is_separable(version) else f"{level}, one program at a time"


def domain(confinement: Confinement, version: int | None = None) -> Domain | None:
    """Return the rules for each program of a sandbox, or None if it has the sandbox to itself.

    `seal` adds the program's own folder. The rules name no other process's folder in /proc: a
    compiler's command line there names its caller's folder.
    """
    if not is_separable(version):
        return None
    rules = reachable(confinement)
    own, writable = ["/proc/self"], []
    if confinement.gpu:
        own = [str(path) for path in Path("/proc").iterdir() if not path.name.isdigit()]
        # CUDA names its threads there, and does not start if it can't (driver 580, 2026-11-26).
        writable = ["/proc/self"]
    readable = [*rules["readable"], *own]
    return {"readable": readable, "writable": writable, "devices": rules["devices"]}


def protect_parent() -> None:
    """Close this process's memory and files to its children, and adopt the orphans among them."""
    restrictions.prctl(restrictions.PR_SET_DUMPABLE, 0)
    restrictions.prctl(restrictions.PR_SET_CHILD_SUBREAPER, 1)


def unprotect() -> None:
    """Make /proc/self readable in a child: a CUDA driver reads it."""
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
    programs: allow it to start other processes.
    limits: resource limits below those of the sandbox, by their names.

    Takes 1.5 ms, of which the domain is 0.5 (medians of 50 forks, 2026-11-26).
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
