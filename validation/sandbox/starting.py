"""Starting a program as confined as this host allows."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from validation.sandbox.confinement import Confinement, Level, SandboxUnavailable
from validation.sandbox.launch import Stream, launch
from validation.sandbox.probing import no_cgroup, probe


def start(
    argv: Sequence[str],
    confinement: Confinement,
    *,
    level: Level | None = None,
    pass_fds: Sequence[int] = (),
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start `argv`, confined as well as this host allows, or refuse with a sentence.

    A stream that is not given is /dev/null. Ends with its parent: with the thread that called
    this, to be exact. End it by `kill`, which ends all that it forked. Runs without confinement
    only where `level` says so itself.
    """
    level = level or best()
    return launch(
        argv,
        confinement,
        level,
        grouped=not no_cgroup(level),
        pass_fds=pass_fds,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=cwd,
    )


def best() -> Level:
    """The best level that this host allows; refuses where that is none."""
    probed = probe()
    if probed.level is Level.NONE:
        raise SandboxUnavailable(probed.sentence)
    return probed.level
