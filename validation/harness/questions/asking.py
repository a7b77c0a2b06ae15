"""Client of a sandboxed worker. It runs none of the worker's code and reads only JSON."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.harness.sandbox import (
    Confinement,
    Level,
    Limits,
    UnreadableJson,
    best,
    half_of_memory,
    kill,
    memory_bound,
    python_readable,
    read_json,
    start,
)
from validation.harness.sandbox.python import module
from validation.harness.sandbox.seal import at_once, domain

# Time for importing torch and Triton on a busy machine.
START_SECONDS = 180.0
# A worker without output for this multiple of a question's time is dead.
SILENCE = 6
# A worker is replaced after this many questions.
LIFETIME = 300
# A child's answer has 1 MiB at most, and JSON may escape a byte as six.
LINE_MOST = 8 << 20

# Bound on the memory of one question.
MEMORY = 4 << 30
ENV = {
    # Forking after OpenMP has started threads hangs the child.
    "OMP_NUM_THREADS": "1",
    # Its default changes between releases.
    "TRITON_DEFAULT_FP_FUSION": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}

Question = Mapping[str, Any]
"""JSON with a `key` of the caller's own."""


class WorkerUnavailable(Exception):
    """The worker did not start; the message has its last output."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A child's answer. `trouble` says why there is none."""

    answer: Any = None
    trouble: str = ""
    timeout: bool = False
    seconds: float = 0.0
    """Processor time."""


class Workers(ExitStack):
    """Context manager: `with Workers(NAME) as workers: for question, reply in
    workers.ask(questions)`."""

    def __init__(
        self,
        name: str,
        *words: str,
        seconds: float,
        parallel: int | None = None,
        level: Level | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.callback(self._stop)
        self._name, self._words = name, words
        self._seconds = seconds
        self._parallel = at_once(parallel or os.cpu_count() or 1)
        self.level = level or best()
        self._env = {**ENV, **(env or {})}
        self._worker: _Worker | None = None

    @property
    def memory(self) -> str:
        """The bound on the memory of the answering processes, in words."""
        return memory_bound(self.level)

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the worker's libraries; starts the worker."""
        return self._running().versions

    def ask(
        self,
        questions: Iterable[Question],
        beat: Callable[[], None] = lambda: None,
        begin: Callable[[Any], None] = lambda _: None,
    ) -> Iterator[tuple[Question, Reply]]:
        """Yield each question with its reply, in the order of completion.

        `beat` is called every second meanwhile, and `begin` with the key of a question before it
        is sent. Either may end the iteration by raising.
        """
        queue = deque(questions)
        pending: dict[Any, Question] = {}
        suspects: set[Any] = set()
        while queue or pending:
            # Questions under way when a worker died are asked again, each alone.
            width = 1 if any(q["key"] in suspects for q in queue) else 2 * self._parallel
            try:
                worker = self._running()
                while queue and len(pending) < width:
                    question = queue.popleft()
                    begin(question["key"])
                    pending[question["key"]] = question
                    worker.ask(question, self._seconds)
                line = worker.line(SILENCE * self._seconds, beat)
                key, reply = read_answer(line, worker.ran_out_of_memory)
            except WorkerDied as died:
                self._stop()
                for question in pending.values():
                    if question["key"] in suspects:
                        yield question, Reply(trouble=str(died))
                    else:
                        suspects.add(question["key"])
                        queue.appendleft(question)
                pending.clear()
                continue
            if (done := pending.pop(key, None)) is not None:
                yield done, reply
            if worker.asked >= LIFETIME and not pending:
                self._stop()

    def _running(self) -> "_Worker":
        if self._worker is None:
            argv = (self._name, self._words, self._parallel)
            self._worker = _Worker(*argv, self.level, self._env)
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class WorkerDied(Exception):
    """The worker ended, fell silent, or sent an invalid line."""


def read_answer(
    line: bytes, ran_out_of_memory: Callable[[int], bool] = lambda group: False
) -> tuple[Any, Reply]:
    """Return the key of a question and its child's reply.

    Raises WorkerDied if the line is not the worker's. An invalid answer of a child costs its own
    question alone. `ran_out_of_memory`: whether the process group with this number was ended for
    its memory.
    """
    try:
        record = read_json(line, LINE_MOST)
        key, text, status = record["key"], str(record["said"]), int(record["status"])
        seconds, timeout = float(record["seconds"]), bool(record["timeout"])
        group = int(record["pid"])
        hash(key)
    except (UnreadableJson, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise WorkerDied(f"it wrote a line that is not its own: {error}") from None
    if timeout:
        return key, Reply(trouble="it took too long", timeout=True, seconds=seconds)
    if status == -signal.SIGKILL and ran_out_of_memory(group):
        return key, Reply(trouble="it used more memory than it may", seconds=seconds)
    if not text:
        return key, Reply(trouble=f"its process ended with status {status}", seconds=seconds)
    try:
        return key, Reply(read_json(text.encode(), LINE_MOST), seconds=seconds)
    except UnreadableJson as error:
        trouble = f"its process ended with status {status}, and its answer can't be read: {error}"
        return key, Reply(trouble=trouble, seconds=seconds)


class _Worker:
    """One sandboxed process and the two pipes to it."""

    def __init__(
        self, name: str, words: tuple[str, ...], parallel: int, level: Level, env: Mapping[str, str]
    ) -> None:
        package = Path(__file__).resolve().parents[2]
        confinement = Confinement(
            readable=(*python_readable(), package),
            limits=Limits(
                memory=8 << 30,
                group_memory=MEMORY,
                tree_memory=half_of_memory(),
                cpu_seconds=3600,
                processes=256,
                file_size=256 << 20,
                open_files=256,
            ),
            scratch=2 << 30,
            env=env,
        )
        self.asked = 0
        self._reading, writing = os.pipe()
        self._rest = b""
        rules = json.dumps(domain(confinement))
        argv = module(name, str(writing), str(parallel), rules, *words)
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - the worker keeps it open
        self._process = start(
            argv,
            confinement,
            level=level,
            pass_fds=(writing,),
            stdin=subprocess.PIPE,
            stderr=complaints,
        )
        os.close(writing)
        try:
            self.versions = _read_versions(self.line(START_SECONDS, lambda: None))
        except WorkerDied as died:
            self.end()
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").strip().splitlines()
            message = f"{died}: {lines[-1]}" if lines else died
            raise WorkerUnavailable(f"The worker did not start: {message}") from None

    def ask(self, question: Question, seconds: float) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        self.asked += 1
        line = json.dumps({**question, "seconds": seconds}).encode() + b"\n"
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError as error:
            raise WorkerDied(f"it takes no more requests: {error}") from None

    def line(self, seconds: float, beat: Callable[[], None]) -> bytes:
        """Return the next line of its output."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            beat()
            ready, _, _ = select.select([self._reading], [], [], 1.0)
            if not ready and time.monotonic() < deadline:
                continue
            if not ready:
                raise WorkerDied(f"it said nothing for {seconds:.0f} seconds")
            data = os.read(self._reading, 1 << 16)
            if not data:
                raise WorkerDied("it ended without a word")
            self._rest += data
            if len(self._rest) > 2 * LINE_MOST:
                raise WorkerDied("it writes without end")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def ran_out_of_memory(self, group: int) -> bool:
        return self._process.bound.ended_for(group) == "memory"

    def end(self) -> None:
        kill(self._process)
        if self._process.stdin is not None:
            self._process.stdin.close()
        os.close(self._reading)


def _read_versions(line: bytes) -> dict[str, str]:
    try:
        versions = read_json(line, LINE_MOST)["versions"]
        return {name: str(version) for name, version in versions.items()}
    except (UnreadableJson, LookupError, TypeError, AttributeError) as error:
        raise WorkerDied(f"it wrote a line that is not its own: {error}") from None
