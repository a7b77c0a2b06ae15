"""Confined run of one git command: no prompt, hook, helper or user setting.

Each command runs in a new process group and is watched. Attack: a pack of some megabytes inflates
to any size. Defense: the kernel limits memory, processor time and file size of git's processes.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ingest.git.errors import FetchFailed, SourceError, SourceUnavailable
from ingest.git.limits import Bounds, Deadline

# Maximum bytes of output, which is stored in a file until git ends. Real listings are far smaller.
LARGEST_OUTPUT = 100_000_000
LARGEST_COMPLAINT = 4_000_000

_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.001, 0.1
_KEPT_ENVIRONMENT = (
    "PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO",
    "http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "all_proxy",
)  # fmt: skip
_NO_PROGRAM = "/bin/false"
_BOUND_SIGNALS = (-signal.SIGXCPU, -signal.SIGXFSZ)
_BOUND_REACHED = re.compile(
    # Errors from the server are prefixed with "remote:".
    r"^(?!remote:).*(?:[Oo]ut of memory|Cannot allocate memory|mmap failed|File too large|"
    rf"unable to create thread|died of signal (?:{signal.SIGXCPU:d}|{signal.SIGXFSZ:d})\b)",
    re.MULTILINE,
)

OPTIONS = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "credential.helper=",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "submodule.recurse=false",
    "-c", "fetch.recurseSubmodules=false",
    "-c", "fetch.unpackLimit=1",
    "-c", "core.bigFileThreshold=16m",
    # By default git maps complete packs, once per core. That would exceed `Bounds.memory`.
    "-c", "core.packedGitWindowSize=32m",
    "-c", "core.packedGitLimit=256m",
    "-c", "core.deltaBaseCacheLimit=64m",
    "-c", "pack.threads=2",
    "-c", "transfer.bundleURI=false",
    # Git would follow a redirect to any host. `hosts.redirect_target` allows only the same host.
    "-c", "http.followRedirects=false",
    "-c", "http.lowSpeedLimit=1000",
    "-c", "http.lowSpeedTime=60",
    "-c", "safe.directory=*",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finished:
    """Output and exit code of a command."""

    code: int
    output: bytes
    complaint: str


@dataclass(frozen=True, slots=True)
class Git:
    """Runner of git commands in one git directory.

    objects: another repository's object store, which is read through this git directory. So no
        setting of that repository applies: no hooks, filters or remotes.
    """

    folder: Path
    deadline: Deadline
    protocols: tuple[str, ...] = ()
    objects: Path | None = None
    watch: Callable[[], None] | None = None
    keep_open: tuple[int, ...] = field(default=())
    trace_headers: bool = False
    bounds: Bounds = field(default=Bounds())

    def run(self, *arguments: str, feed: bytes = b"") -> Finished:
        """Run a command until it ends. End it if the deadline passes or `watch` raises."""
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            stdin.write(feed)
            stdin.seek(0)
            with self._started(arguments, stdin, stdout, stderr) as process:
                self._wait(process, stdout, stderr)
            stdout.seek(0)
            stderr.seek(0)
            complaint = stderr.read(LARGEST_COMPLAINT).decode("utf-8", "replace")
            self._check_bounds(process.returncode, complaint)
            return Finished(process.returncode, stdout.read(), complaint)

    @contextmanager
    def converse(self, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Yield the input and output of a running command that answers each line of its input."""
        with tempfile.TemporaryFile() as stderr:
            try:
                with self._started(arguments, subprocess.PIPE, subprocess.PIPE, stderr) as process:
                    if process.stdin is not None and process.stdout is not None:
                        yield process.stdin, process.stdout
            except FetchFailed:
                stderr.seek(0)
                complaint = stderr.read(LARGEST_COMPLAINT).decode("utf-8", "replace")
                self._check_bounds(process.returncode, complaint)
                raise

    def _check_bounds(self, code: int, complaint: str) -> None:
        """Raise SourceError if git or one of its child processes reached a bound."""
        if code in _BOUND_SIGNALS or _BOUND_REACHED.search(complaint):
            raise SourceError(
                f"Git needs more than {self.bounds} for this repository and was stopped: its "
                "objects inflate beyond what code does."
            )

    @contextmanager
    def _started(
        self,
        arguments: Sequence[str],
        stdin: IO[bytes] | int,
        stdout: IO[bytes] | int,
        stderr: IO[bytes] | int,
    ) -> Iterator[subprocess.Popen[bytes]]:
        git, prlimit = shutil.which("git"), shutil.which("prlimit")
        if git is None or prlimit is None:
            raise SourceError("Please install git 2.32 or newer, and prlimit of util-linux.")
        # A limit set after the start would not apply to processes that git had already forked.
        bounded = [prlimit, *self.bounds.options(), git]
        process = subprocess.Popen(
            [*bounded, f"--git-dir={self.folder}", *OPTIONS, *arguments],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={**environment(self.protocols, self.objects), **self._tracing()},
            start_new_session=True,
            pass_fds=self.keep_open,
        )
        try:
            yield process
        finally:
            _end_group(process)

    def _tracing(self) -> Mapping[str, str]:
        on = {"GIT_TRACE_CURL": "1", "GIT_TRACE_CURL_NO_DATA": "1"}
        return on if self.trace_headers else {}

    def _wait(self, process: subprocess.Popen[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while not _ended(process):
            if self.deadline.passed():
                raise SourceUnavailable(
                    f"Git did not finish within {self.deadline.seconds:g} seconds and was stopped."
                )
            if os.fstat(stdout.fileno()).st_size > LARGEST_OUTPUT:
                raise SourceError("The repository's listing is too large to be an honest one.")
            if os.fstat(stderr.fileno()).st_size > LARGEST_COMPLAINT:
                raise SourceError("The server sent messages without end and was left.")
            if self.watch is not None:
                self.watch()
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def environment(protocols: Sequence[str] = (), objects: Path | None = None) -> Mapping[str, str]:
    """Return all environment variables of a git command. Without protocols, it has no network."""
    inherited = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    fixed = {
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": _NO_PROGRAM,
        "SSH_ASKPASS": _NO_PROGRAM,
        "GIT_SSH_COMMAND": _NO_PROGRAM,
        "GIT_PROXY_COMMAND": _NO_PROGRAM,
        # An empty list would mean git's defaults. "none" is not a protocol, so it allows nothing.
        "GIT_ALLOW_PROTOCOL": ":".join(protocols) or "none",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    if objects is not None:
        fixed["GIT_OBJECT_DIRECTORY"] = str(objects)
    return inherited | fixed


def _end_group(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # git ended first, so unsent input no longer matters
                pipe.close()
    # Helpers can outlive git. Their group's number can't be reused before wait() reaps the leader.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process ended. Does not reap it."""
    how = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, how) is not None
