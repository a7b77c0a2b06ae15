"""Programs of one sandbox that share it: the rules that keep each from the others.

Attack: one program opens another's /proc/PID/mem, /proc/PID/fd or folder, or signals it. All run
as one user, so nothing but Landlock refuses that. Defense: each program enters a Landlock domain of
its own; without Landlock one program runs at a time.
"""

from collections.abc import Mapping
from pathlib import Path

from validation.sandbox import landlock
from validation.sandbox.confinement import Confinement, Level
from validation.sandbox.launch import reachable

Domain = Mapping[str, list[str]]
"""The paths that a program may read and the devices that it may use, for `landlock.enter`."""

# The first version refuses each move from one folder to another, which Triton's cache depends on.
# No later one is needed: `seal` refuses signals to others by system call.
LEAST_VERSION = 2


def separable(version: int | None = None) -> bool:
    """Tell whether this kernel can keep programs of one sandbox apart."""
    return (landlock.version() if version is None else version) >= LEAST_VERSION


def at_once(wanted: int, version: int | None = None) -> int:
    """Return how many programs of one sandbox may run at once, where `wanted` would be useful."""
    return wanted if separable(version) else 1


def confined_by(level: Level, version: int | None = None) -> str:
    """Return the words for how programs were confined, as a result names its environment."""
    return str(level) if separable(version) else f"{level}, one program at a time"


def domain(confinement: Confinement, version: int | None = None) -> Domain | None:
    """Return the rules for each program of a sandbox, or None where it has the sandbox to itself.

    Its own folder is left to add. The rules name no folder of another process in /proc: what a
    compiler was told there names its caller's folder.
    """
    if not separable(version):
        return None
    rules = reachable(confinement)
    own, writable = ["/proc/self"], []
    if confinement.gpu:
        own = [str(path) for path in Path("/proc").iterdir() if not path.name.isdigit()]
        # CUDA names its threads there, and does not start if it can't (driver 580, 2026-11-26).
        writable = ["/proc/self"]
    readable = [*rules["readable"], *own]
    return {"readable": readable, "writable": writable, "devices": rules["devices"]}
