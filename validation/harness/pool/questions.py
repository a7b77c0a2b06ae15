"""Client of a sandboxed program that answers questions, each in a new child process.

It runs no code of the program and reads only JSON. `worker/question.py` defines a program.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from validation.harness.pool.children import (
    SERVER_ENDED,
    ChildEnded,
    DeadlinePassed,
    NoAnswer,
    ServerEnded,
)
from validation.harness.pool.fork_server import ForkServer
from validation.harness.pool.shared_lock import SharedLock
from validation.harness.pool.tasks import run_tasks
from validation.harness.sandbox import (
    Level,
    UnreadableJson,
    best,
    memory_bound,
    read_json,
    readable,
)
from validation.harness.sandbox.seal import is_separable
from validation.harness.worker.question import MARGIN, PATIENCE

# Memory limit of one question.
MEMORY = 4 << 30
# Limit on the number of processes of all children together.
PROCESSES = 256
ANSWER_MOST = 1 << 20
RAISED_MOST = 500

Question = Mapping[str, Any]
"""JSON with a `key` by which the caller identifies the question."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer of a child process. Without an answer, `trouble` has the reason."""

    answer: Any = None
    trouble: str = ""
    timeout: bool = False
    seconds: float = 0.0
    """CPU time."""


class Workers(ExitStack):
    """Context manager: `with Workers(PROGRAM) as workers: for question, reply in
    workers.ask(questions)`."""

    def __init__(
        self,
        program: str,
        *,
        seconds: float,
        target: str = "",
        device: str = "compiler",
        parallel: int | None = None,
        level: Level | None = None,
    ) -> None:
        super().__init__()
        self.callback(self._stop)
        self._program, self._target, self._device = program, target, device
        self._seconds = seconds
        self._parallel = (parallel or os.cpu_count() or 1) if is_separable() else 1
        self._lock = SharedLock()
        self.level = level or best()
        self._server: ForkServer | None = None

    @property
    def memory(self) -> str:
        """The memory limit of the answering processes, in words."""
        return memory_bound(self.level)

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the program's libraries. The first use starts the program."""
        return self._running().versions

    def ask(
        self,
        questions: Iterable[Question],
        beat: Callable[[], None] = lambda: None,
        begin: Callable[[Any], None] = lambda _: None,
    ) -> Iterator[tuple[Question, Reply]]:
        """Yield each question with its reply, in order of completion.

        `beat` is called every second, and `begin` with a question's key before it is sent. Either
        may end the iteration by raising.
        """
        tasks = self._tasks(questions, begin)
        with closing(run_tasks(tasks, self._parallel, beat, stop=self._stop)) as replies:
            yield from replies

    def _tasks(
        self, questions: Iterable[Question], begin: Callable[[Any], None]
    ) -> Iterator[Callable[[], tuple[Question, Reply]]]:
        server = self._running()
        for question in questions:
            begin(question["key"])
            yield partial(self._reply, server, question)

    def _reply(self, server: ForkServer, question: Question) -> tuple[Question, Reply]:
        """Ask a question. If the fork server died, ask again while no other question runs."""
        for alone in (False, True):
            with self._lock.held(exclusive=alone):
                try:
                    return question, self._ask(server, question)
                except ServerEnded:
                    continue
        return question, Reply(trouble=f"{SERVER_ENDED} while only this question was asked")

    def _ask(self, server: ForkServer, question: Question) -> Reply:
        child = server.child()
        try:
            deadline = PATIENCE * self._seconds + MARGIN
            order = {**question, "seconds": self._seconds}
            return read_answer(child.ask("question", "answer", order, deadline).header)
        except NoAnswer as failed:
            out_of_time = isinstance(failed, ChildEnded) and failed.status == -signal.SIGXCPU
            late = out_of_time or isinstance(failed, DeadlinePassed)
            trouble = str(DeadlinePassed()) if late else readable(str(failed), RAISED_MOST)
            return Reply(trouble=trouble, timeout=late, seconds=child.seconds)
        finally:
            child.release()

    def _running(self) -> ForkServer:
        if self._server is None:
            self._server = ForkServer(
                self._device, memory=MEMORY, cpu_seconds=int(self._seconds + MARGIN) + 1,
                level=self.level, processes=PROCESSES, programs=True, program=self._program,
                target=self._target,
            )  # fmt: skip
        # Start the server in this thread, because it ends with the thread that starts it.
        self._server.open()
        return self._server

    def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


def read_answer(header: Any) -> Reply:
    """Read the reply from a child's header, which hostile code may have written."""
    try:
        text, seconds = str(header["text"]), float(header["seconds"])
        if not 0 <= seconds < float("inf"):
            seconds = 0.0
        return Reply(read_json(text.encode(), ANSWER_MOST), seconds=seconds)
    except (UnreadableJson, LookupError, TypeError, ValueError, ArithmeticError) as error:
        return Reply(trouble=f"its answer can't be read: {error}")
