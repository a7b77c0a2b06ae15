"""Process of `up`: started, restarted, read from, and killed with its children."""

import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from curation.errors import CurationError
from curation.operations import leftovers

# Function that a thread calls with the name of a process and a line of its output.
ShowLine = Callable[[str, str], None]

PR_SET_PDEATHSIG = 1
# Seconds to read on after a process has ended. A child may keep the output open for longer.
LAST_LINES_SECONDS = 1.0
# Time in which the ends of a process are counted, to limit its restarts.
WINDOW_SECONDS = 60.0
LONGEST_DELAY = 10.0
# Maximum bytes of a line. An endless line must neither fill the memory nor stay invisible.
LONGEST = 8192
# Attack: output may come from a scraped repository and contain terminal control sequences.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ProgramMissing(CurationError):
    """The command of a process can't be started."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of the Procfile: its name in the log, and its command."""

    name: str
    arguments: tuple[str, ...]


def read_procfile(text: str) -> list[Program]:
    """Return the programs of a text with lines `name: program argument`, to run without a shell."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    named = (line.partition(":") for line in lines)
    return [Program(name, tuple(shlex.split(command))) for name, _, command in named]


@dataclass(slots=True, eq=False)
class Process:
    """A program, its current run, and the limit on its restarts."""

    program: Program
    environment: Mapping[str, str]
    folder: Path
    data_folder: Path
    most_ends: int = 5
    first_delay: float = 0.5
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))
    _ends: deque[float] = field(default_factory=deque)
    _run: "subprocess.Popen[bytes] | None" = None
    _reader: threading.Thread | None = None

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def running(self) -> bool:
        """True until `ended` has returned how the run ended."""
        return self._run is not None

    def start(self, show: ShowLine) -> None:
        try:
            self._run = run = subprocess.Popen(
                self.program.arguments,
                cwd=self.folder,
                env={**self.environment, **leftovers.mark(self.data_folder, self.name)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # So Ctrl-C in the terminal reaches only `up`, and the complete group can be killed.
                start_new_session=True,
                preexec_fn=_ends_with_us(),
            )
        except (OSError, IndexError) as error:
            raise ProgramMissing(
                f"{self.name} can't be started: {' '.join(self.program.arguments)}: {error}. "
                "Is everything installed (pip install -c constraints.txt -e '.[web]')?"
            ) from error
        self._reader = threading.Thread(target=self._read, args=(run.stdout, show), daemon=True)
        self._reader.start()

    def terminate(self) -> None:
        """Send SIGTERM; the program handles its children itself."""
        if self._run:
            self._run.terminate()

    def kill(self) -> None:
        """Kill the process and its group at once."""
        with suppress(ProcessLookupError, PermissionError):
            if self._run:
                os.killpg(self._run.pid, signal.SIGKILL)

    def ended(self) -> str | None:
        """If the run has ended since the last call, kill its children and return how it ended."""
        if self._run is None or self._reader is None or (status := self._run.poll()) is None:
            return None
        # Otherwise its children would use its port, work on its jobs and write to the pipe.
        self.kill()
        leftovers.kill(self.data_folder, self.name)
        self._reader.join(LAST_LINES_SECONDS)
        self._run = None
        if status < 0:
            return f"was killed by {signal.Signals(-status).name}"
        return f"ended with exit status {status}"

    def restart_delay(self, now: float) -> float | None:
        """Return the seconds from an end until the next start, or None after too many ends.

        Each end within `WINDOW_SECONDS` doubles the delay.
        """
        self._ends.append(now)
        while self._ends[0] <= now - WINDOW_SECONDS:
            self._ends.popleft()
        if len(self._ends) > self.most_ends:
            return None
        return min(self.first_delay * (1 << len(self._ends) - 1), LONGEST_DELAY)

    def _read(self, output: IO[bytes], show: ShowLine) -> None:
        with output:
            for data in iter(lambda: output.readline(LONGEST), b""):
                line = CONTROL.sub(
                    lambda control: f"\\x{ord(control[0]):02x}",
                    data.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r"),
                )
                self.last_lines.append(line)
                show(self.name, line)


def _ends_with_us() -> Callable[[], None] | None:
    """Return a function that the child calls to get a SIGTERM when its parent dies."""
    if sys.platform != "linux":
        return None
    # Loaded in the parent, because the child must do as little as possible before `exec`.
    prctl = ctypes.CDLL(None).prctl
    us = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != us:
            os._exit(1)

    return ask
