"""Supervisor of `up`: starts processes by stage, restarts ended ones, stops in reverse order.

An event loop with one task for each process. Checks and preparations run in threads, because the
database refuses to be used inside of an event loop.
"""

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from curation.errors import CurationError
from curation.operations.console import OURS, Console
from curation.operations.process import Process

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Interval of the checks if a stage is ready, and of the messages that it is not.
ASK_SECONDS = 0.1
COMPLAIN_SECONDS = 15
# An rq worker takes the first SIGTERM as "finish the job", the second as "abort it".
SECOND_GRACE = 3.0


class KeepsEnding(CurationError):
    """A process ended too often to start it again."""


@dataclass(frozen=True, slots=True)
class StartupStage:
    """Processes that start together; the next stage starts when `lacks` returns None."""

    processes: Sequence[Process]
    lacks: Callable[[], str | None]
    grace: float = 10.0


class Supervisor:
    def __init__(
        self, stages: Sequence[StartupStage], console: Console, when_ready: Callable[[], None]
    ) -> None:
        self._stages = stages
        self._console = console
        self._when_ready = when_ready
        self._tasks: dict[Process, asyncio.Task[None]] = {}
        # The stage that is being stopped.
        self._stopping: StartupStage | None = None

    def run(self) -> None:
        """Run until a stop is requested. Raise KeepsEnding if a process can't be kept running."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        # The reason to stop everything, or the error that ends everything.
        self._outcome: asyncio.Future[str] = loop.create_future()
        for number in STOPPING:
            # nohup ignores SIGHUP on purpose.
            if (number, signal.getsignal(number)) != (signal.SIGHUP, signal.SIG_IGN):
                loop.add_signal_handler(number, self._on_signal, number.name)
        starting = self._task(self._start_stages())
        try:
            reason = await self._outcome
            self._show(OURS, [f"Stopping ({reason}). Ctrl-C again: at once."])
        except CurationError:
            self._show(OURS, ["Stopping everything."])
            raise
        finally:
            starting.cancel()
            # Dependencies stop last, so that jobs can be reported until the end.
            for stage in reversed(self._stages):
                await self._stop(stage)

    async def _start_stages(self) -> None:
        for stage in self._stages:
            for process in stage.processes:
                end = await process.start(self._show)
                self._tasks[process] = self._task(self._keep_running(process, end))
            await self._until_ready(stage)
        await asyncio.to_thread(self._when_ready)

    async def _until_ready(self, stage: StartupStage) -> None:
        complain_at = time.monotonic() + COMPLAIN_SECONDS
        while lack := await asyncio.to_thread(stage.lacks):
            if time.monotonic() >= complain_at:
                self._show(OURS, [f"Still waiting: {lack}"])
                complain_at += COMPLAIN_SECONDS
            await asyncio.sleep(ASK_SECONDS)

    async def _keep_running(self, process: Process, end: asyncio.Task[str]) -> None:
        while True:
            started = time.monotonic()
            how = await end
            if self._outcome.done():
                return
            delay = process.restart_policy.delay(started, time.monotonic())
            if delay is None:
                raise KeepsEnding(_obituary(process, how))
            self._show(OURS, [f"{process.name} {how}; starting it again in {delay:g} s."])
            await asyncio.sleep(delay)
            end = await process.start(self._show)

    async def _stop(self, stage: StartupStage) -> None:
        """Send SIGTERM, SIGTERM again, then SIGKILL; a further Ctrl-C sends SIGKILL directly."""
        self._stopping = stage
        tasks = [self._tasks[process] for process in stage.processes if process in self._tasks]
        for process in stage.processes:
            if process.running:
                process.terminate()
            elif process in self._tasks:
                self._tasks[process].cancel()
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=stage.grace)
        if late:
            self._show(OURS, [f"Told to stop again: {_names_of_running(stage)}."])
            for process in stage.processes:
                process.terminate()
            _, late = await asyncio.wait(late, timeout=SECOND_GRACE)
        if late:
            self._kill(stage)
            await asyncio.wait(late)

    def _on_signal(self, name: str) -> None:
        if not self._outcome.done():
            self._outcome.set_result(name)
        elif self._stopping:
            self._kill(self._stopping)

    def _kill(self, stage: StartupStage) -> None:
        if names := _names_of_running(stage):
            self._show(OURS, [f"Killed: {names}."])
        for process in stage.processes:
            process.kill()

    def _show(self, name: str, lines: Sequence[str]) -> None:
        self._console.lines(name, lines)
        if self._console.lost and not self._outcome.done():
            self._outcome.set_result("the output was closed")

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task whose error ends everything."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error and not self._outcome.done():
            self._outcome.set_exception(error)


def _names_of_running(stage: StartupStage) -> str:
    return ", ".join(process.name for process in stage.processes if process.running)


def _obituary(process: Process, how: str) -> str:
    last = "\n".join(f"  {line}" for line in process.last_lines)
    return (
        f"{process.name} ended more than {process.restart_policy.most} times within "
        f"{process.restart_policy.window:g} seconds, so everything was stopped. "
        f"The last time it {how}"
        + (f"; its last lines were:\n{last}" if last else ", without a word.")
    )
