"""A supervised process: started, read from, restarted, and killed with its children."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from curation.errors import CurationError
from curation.operations import leftovers
from curation.operations.output_lines import LineSplitter
from curation.operations.procfile import Program
from curation.operations.restart_policy import RestartPolicy

PR_SET_PDEATHSIG = 1
CHUNK = 65536
# A pipe holds one chunk; more can only come from an escaped child.
MOST_CHUNKS = 16


class ProgramMissing(CurationError):
    """The command of a process can't be started."""


@dataclass(slots=True, eq=False)
class Process:
    """A program, and its current run."""

    program: Program
    environment: Mapping[str, str]
    folder: Path
    data_folder: Path
    restart_policy: RestartPolicy = field(default_factory=RestartPolicy)
    running: "Running | None" = None
    start_again_at: float | None = None
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))

    @property
    def name(self) -> str:
        return self.program.name

    def start(self) -> "Running":
        self.start_again_at = None
        reader, writer = os.pipe()
        try:
            popen = subprocess.Popen(
                self.program.arguments,
                cwd=self.folder,
                env={
                    **self.environment,
                    **self.program.variables,
                    **leftovers.mark(self.data_folder, self.name),
                },
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=subprocess.STDOUT,
                # Ctrl-C in the terminal reaches only `up`, and a group can be killed as one.
                start_new_session=True,
                preexec_fn=_ends_with_us(),
            )
        except OSError as error:
            os.close(reader)
            raise ProgramMissing(
                f"{self.name} can't be started: {self.program.arguments[0]}: {error.strerror}. "
                "Is everything installed (pip install -c constraints.txt -e .)?"
            ) from error
        finally:
            os.close(writer)
        os.set_blocking(reader, False)
        self.running = Running(self, popen, reader)
        return self.running


@dataclass(slots=True, eq=False)
class Running:
    """One run of a program."""

    process: Process
    popen: subprocess.Popen[bytes]
    output: int
    started_at: float = field(default_factory=time.monotonic)
    _lines: LineSplitter = field(default_factory=LineSplitter)

    def read(self) -> list[str] | None:
        """Return the available lines, or None at the end of the output."""
        try:
            chunk = os.read(self.output, CHUNK)
        except BlockingIOError:
            return []
        return self._heard(self._lines.feed(chunk)) if chunk else None

    def ended(self) -> str | None:
        """Return how the run ended, or None while it runs."""
        status = self.popen.poll()
        if status is None:
            return None
        # Its children would keep its port, its jobs and the pipe.
        self.kill()
        leftovers.kill(self.process.data_folder, self.process.name)
        if status < 0:
            return f"was killed by {_signal_name(-status)}"
        return f"ended with exit status {status}"

    def close(self) -> list[str]:
        """Release an ended run, and return its remaining lines."""
        chunks: list[bytes] = []
        with suppress(BlockingIOError):
            while len(chunks) < MOST_CHUNKS and (chunk := os.read(self.output, CHUNK)):
                chunks.append(chunk)
        os.close(self.output)
        self.process.running = None
        return self._heard([*self._lines.feed(b"".join(chunks)), *self._lines.rest()])

    def terminate(self) -> None:
        """Send SIGTERM; the program handles its children itself."""
        self.popen.terminate()

    def kill(self) -> None:
        """Kill the process and its group at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def _heard(self, lines: list[str]) -> list[str]:
        self.process.last_lines.extend(lines)
        return lines


def _ends_with_us() -> Callable[[], None] | None:
    """Return a function for the child: it requests a SIGTERM at the death of its parent."""
    if sys.platform != "linux":
        return None
    # Looked up here: between fork and exec the child must do as little as possible.
    prctl = ctypes.CDLL(None).prctl
    us = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != us:
            os._exit(1)

    return ask


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
