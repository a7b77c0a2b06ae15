"""Process of `up`: a program that is started, read from, and killed with its children."""

import asyncio
import codecs
import ctypes
import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from curation.errors import CurationError
from curation.operations import leftovers
from curation.operations.procfile import Program

# Called with the name of a process and lines of its output.
Show = Callable[[str, Sequence[str]], None]

PR_SET_PDEATHSIG = 1
CHUNK = 65536
# An escaped child may keep the output open after the end.
LAST_LINES_SECONDS = 1.0
# Maximum length of a line: one without an end must not fill the memory, nor stay invisible.
LONGEST = 8192
# Attack: output may come from a scraped repository and contain terminal control sequences.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ProgramMissing(CurationError):
    """The command of a process can't be started."""


class RestartPolicy:
    """Delays double with every end, and are reset after a `window` without one."""

    def __init__(
        self, *, most: int = 5, window: float = 60, first: float = 0.5, longest: float = 10
    ) -> None:
        self.most = most
        self.window = window
        self._first = first
        self._longest = longest
        self._ends: deque[float] = deque()
        self._delay = first

    def delay(self, started: float, ended: float) -> float | None:
        """Return the seconds to wait before the next start, or None after too many ends."""
        if ended - started >= self.window:
            self._delay = self._first
        self._ends.append(ended)
        while self._ends[0] <= ended - self.window:
            self._ends.popleft()
        if len(self._ends) > self.most:
            return None
        delay, self._delay = self._delay, min(2 * self._delay, self._longest)
        return delay


@dataclass(slots=True, eq=False)
class Process:
    """A program, and its current run."""

    program: Program
    environment: Mapping[str, str]
    folder: Path
    data_folder: Path
    restart_policy: RestartPolicy = field(default_factory=RestartPolicy)
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))
    _run: asyncio.subprocess.Process | None = None

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def running(self) -> bool:
        return self._run is not None

    async def start(self, show: Show) -> asyncio.Task[str]:
        """Start a run, and return a task that waits for its end and returns how it ended."""
        # A pipe of our own: asyncio's would delay the end until the last child closes it.
        reader, writer = os.pipe()
        try:
            run = await asyncio.create_subprocess_exec(
                *self.program.arguments,
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
        self._run = run
        return asyncio.create_task(self._end(run, asyncio.create_task(self._read(reader, show))))

    def terminate(self) -> None:
        """Send SIGTERM; the program handles its children itself."""
        with suppress(ProcessLookupError):
            if self._run:
                self._run.terminate()

    def kill(self) -> None:
        """Kill the process and its group at once."""
        with suppress(ProcessLookupError, PermissionError):
            if self._run:
                os.killpg(self._run.pid, signal.SIGKILL)

    async def _end(self, run: asyncio.subprocess.Process, reading: asyncio.Task[None]) -> str:
        status = await run.wait()
        # Its children would keep its port, its jobs and the pipe.
        self.kill()
        leftovers.kill(self.data_folder, self.name)
        await asyncio.wait([reading], timeout=LAST_LINES_SECONDS)
        reading.cancel()
        self._run = None
        if status < 0:
            return f"was killed by {_signal_name(-status)}"
        return f"ended with exit status {status}"

    async def _read(self, descriptor: int, show: Show) -> None:
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", buffering=0)
        )
        splitter = LineSplitter()
        try:
            while chunk := await stream.read(CHUNK):
                self._show(splitter.feed(chunk), show)
        finally:
            self._show(splitter.rest(), show)
            transport.close()

    def _show(self, lines: list[str], show: Show) -> None:
        self.last_lines.extend(lines)
        show(self.name, lines)


class LineSplitter:
    """Incremental line splitter; bytes that are not UTF-8 become replacement characters."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def feed(self, chunk: bytes) -> list[str]:
        """Return the lines that `chunk` completes."""
        *complete, self._open = (self._open + self._decoder.decode(chunk)).split("\n")
        while len(self._open) >= LONGEST:
            complete.append(self._open[:LONGEST])
            self._open = self._open[LONGEST:]
        return [piece for line in complete for piece in _pieces(line)]

    def rest(self) -> list[str]:
        """Return the last line without a line end, after the end of the output."""
        line = self._open + self._decoder.decode(b"", final=True)
        self._open = ""
        return list(_pieces(line)) if line else []


def _pieces(line: str) -> list[str]:
    shown = CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", line.removesuffix("\r"))
    return [shown[start : start + LONGEST] for start in range(0, max(len(shown), 1), LONGEST)]


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
