"""A sandboxed process that reads foreign text, and the two pipes to it."""

import contextlib
import math
import os
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import curation
import ingest
from ingest.confined.values import UnreadableAnswer, read_json, to_json
from validation.harness.sandbox import (
    Confinement,
    Level,
    RunLimits,
    kill,
    probe,
    python_readable,
    start,
)

# Maximum address space in bytes. scancode's index takes 1.4 GB. Parsing real files takes far less.
MEMORY = 4 << 30
LIMITS = RunLimits(
    memory=MEMORY, group_memory=MEMORY, tree_memory=MEMORY, cpu_seconds=4 * 3600, processes=64,
    file_size=256 << 20, open_files=256,
)  # fmt: skip
SCRATCH = 256 << 20
# Maximum seconds without a message from a worker. Rebuilding scancode's index takes minutes.
SILENCE_SECONDS = 900.0
LARGEST_ANSWER = 64 << 20
_PIECE = 1 << 20
PACKAGES = tuple(Path(package.__path__[0]).resolve() for package in (ingest, curation))


class WorkerEnded(Exception):
    """The process ended or sent an invalid message. The text continues a sentence after "it"."""

    def __init__(self, words: str, *, silent: bool = False) -> None:
        super().__init__(words)
        self.silent = silent


@dataclass(frozen=True, slots=True)
class Terms:
    """Confinement of a worker, and the time that it may stay silent."""

    level: Level | None = None
    limits: RunLimits = LIMITS
    silence: float = SILENCE_SECONDS

    @property
    def chosen(self) -> Level:
        return self.level or probe().level


DEFAULT_TERMS = Terms()


class Process:
    """One module of the project that runs as a sandboxed process. The caller must `end` it."""

    def __init__(self, name: str, *arguments: str, terms: Terms = DEFAULT_TERMS) -> None:
        self.silence = terms.silence
        self._rest = bytearray()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - the worker keeps it open
        self._reading, writing = os.pipe()
        try:
            self._process = start(
                _command(name, str(writing), *arguments),
                Confinement(
                    readable=(*python_readable(), *PACKAGES),
                    limits=terms.limits,
                    scratch=SCRATCH,
                    env={"PYTHONDONTWRITEBYTECODE": "1"},
                ),
                level=terms.chosen,
                pass_fds=(writing,),
                stdin=subprocess.PIPE,
                stderr=self._complaints,
            )
        except BaseException:
            os.close(self._reading)
            self._complaints.close()
            raise
        finally:
            os.close(writing)
        self._asking = _pipe(self._process)
        os.set_blocking(self._asking.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Send one line of JSON, followed by the bytes that it announces."""
        unsent = memoryview(to_json(message) + b"\n" + payload)
        deadline = time.monotonic() + self.silence
        while unsent:
            if not _is_ready(self._asking.fileno(), select.POLLOUT, deadline):
                raise WorkerEnded(f"took no bytes for {self.silence:g} seconds", silent=True)
            try:
                unsent = unsent[os.write(self._asking.fileno(), unsent[:_PIECE]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise WorkerEnded(self._last_words()) from None

    def hear(self) -> dict[str, Any]:
        """Return the next message."""
        searched, deadline = 0, time.monotonic() + self.silence
        while (end := self._rest.find(b"\n", searched)) < 0:
            searched = len(self._rest)
            if searched > LARGEST_ANSWER:
                raise WorkerEnded(f"answered more than {LARGEST_ANSWER >> 20} MB")
            if not _is_ready(self._reading, select.POLLIN, deadline):
                raise WorkerEnded(f"said nothing for {self.silence:g} seconds", silent=True)
            piece = os.read(self._reading, _PIECE)
            if not piece:
                raise WorkerEnded(self._last_words())
            self._rest += piece
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        try:
            message = read_json(line)
        except UnreadableAnswer as error:
            raise WorkerEnded(f"gave an answer that can't be read: {error}") from None
        if not isinstance(message, dict):
            raise WorkerEnded("gave an answer that can't be read")
        return message

    def end(self) -> None:
        kill(self._process)
        with contextlib.suppress(OSError):
            self._asking.close()
        os.close(self._reading)
        self._complaints.close()

    def _last_words(self) -> str:
        """Return how the process ended, with the last line of its standard error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        size = self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, size - 4000))
        lines = self._complaints.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        printable = "".join(c if c.isprintable() else "?" for c in last[:200])
        status = f"ended with status {self._process.returncode}"
        return f"{status} ({printable})" if printable else status


def _pipe(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    if process.stdin is None:
        raise ValueError("the process was started without a pipe")
    return process.stdin


def _is_ready(descriptor: int, event: int, deadline: float) -> bool:
    """Wait until the descriptor is ready. (`select` can't wait for descriptors above 1,023.)"""
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(max(0, math.ceil(1000 * (deadline - time.monotonic())))))


def _command(name: str, *arguments: str) -> list[str]:
    """Return the command that runs the module `name` of one of the packages.

    The folder that contains the packages may also hold the data folder, so the sandbox can't list
    it. Imports can't find the packages there, so the program sets the folder of each package.
    """
    folders = {folder.name: str(folder) for folder in PACKAGES}
    program = (
        "import runpy, sys, types\n"
        f"for name, folder in {folders!r}.items():\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "    sys.modules[name].__path__ = [folder]\n"
        f"runpy.run_module({name!r}, run_name='__main__', alter_sys=True)\n"
    )
    return [sys.executable, "-c", program, *arguments]
