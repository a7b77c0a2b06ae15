"""Supervisor loop: starts processes by stage, restarts ended ones, stops in reverse order.

One thread and one selector: output, signals and ended children all wake the same `select`.
"""

import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from curation.errors import CurationError
from curation.operations.console import Console
from curation.operations.process import Process, Running

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Interval of the checks if a stage is ready, and of the messages that it is not.
ASK_SECONDS = 0.1
COMPLAIN_SECONDS = 15
# An rq worker takes the first SIGTERM as "finish the job", the second as "abort it".
SECOND_GRACE = 3.0


class KeepsEnding(CurationError):
    """A process ended too often to start it again."""


class _StopAsked(Exception):
    """A person, or the system, requested a stop."""


@dataclass(frozen=True, slots=True)
class StartupStage:
    """Processes that start together; the next stage starts when `lacks` returns None."""

    processes: Sequence[Process]
    lacks: Callable[[], str | None]
    grace: float = 10.0

    def running(self) -> list[Running]:
        return [process.running for process in self.processes if process.running]


class Supervisor:
    def __init__(
        self, stages: Sequence[StartupStage], console: Console, when_ready: Callable[[], None]
    ) -> None:
        self._stages = stages
        self._console = console
        self._when_ready = when_ready
        self._started: list[Process] = []
        self._stop_signals: list[signal.Signals] = []

    def run(self) -> None:
        """Run until a stop is requested. Raise KeepsEnding if a process can't be kept running."""
        with self._listening():
            try:
                for stage in self._stages:
                    for process in stage.processes:
                        self._started.append(process)
                        self._start(process)
                    self._keep_running(until_ready=stage)
                self._when_ready()
                self._keep_running()
            except _StopAsked as asked:
                self._console.say(f"Stopping ({asked}). Ctrl-C again: at once.")
            except CurationError:
                self._console.say("Stopping everything.")
                raise
            finally:
                # Dependencies stop last, so that jobs can be reported until the end.
                for stage in reversed(self._stages):
                    self._stop(stage)

    def _keep_running(self, until_ready: StartupStage | None = None) -> None:
        """Restart ended processes until the stage is ready, or without limit."""
        ask_at = time.monotonic()
        complain_at = ask_at + COMPLAIN_SECONDS
        while True:
            due = [process.start_again_at for process in self._started if process.start_again_at]
            if until_ready:
                if time.monotonic() >= ask_at:
                    lack = until_ready.lacks()
                    if lack is None:
                        return
                    if time.monotonic() >= complain_at:
                        self._console.say(f"Still waiting: {lack}")
                        complain_at += COMPLAIN_SECONDS
                    ask_at = time.monotonic() + ASK_SECONDS
                due.append(ask_at)
            self._turn(min(due, default=None))
            if self._stop_signals:
                raise _StopAsked(self._stop_signals[0].name)
            if self._console.lost:
                raise _StopAsked("the output was closed")
            self._restart_what_ended()

    def _restart_what_ended(self) -> None:
        for process in self._started:
            if running := process.running:
                how = self._end_of(running)
                if how is not None:
                    self._plan_restart(process, running, how)
            elif process.start_again_at and process.start_again_at <= time.monotonic():
                self._start(process)

    def _plan_restart(self, process: Process, ended: Running, how: str) -> None:
        now = time.monotonic()
        delay = process.restart_policy.delay(ended.started_at, now)
        if delay is None:
            raise KeepsEnding(_obituary(process, how))
        self._console.say(f"{process.name} {how}; starting it again in {delay:g} s.")
        process.start_again_at = now + delay

    def _start(self, process: Process) -> None:
        running = process.start()
        self._selector.register(running.output, selectors.EVENT_READ, running)

    def _end_of(self, running: Running) -> str | None:
        """Return how the run ended, and print its last lines. None while it runs."""
        how = running.ended()
        if how is not None:
            if running.output in self._selector.get_map():
                self._selector.unregister(running.output)
            self._console.lines(running.process.name, running.close())
        return how

    def _turn(self, until: float | None) -> None:
        """Wait for an event or the given time, and handle the event."""
        timeout = None if until is None else max(0.0, until - time.monotonic())
        for key, _ in self._selector.select(timeout):
            if isinstance(key.data, Running):
                lines = key.data.read()
                if lines is None:
                    self._selector.unregister(key.data.output)
                else:
                    self._console.lines(key.data.process.name, lines)
            else:
                received = map(signal.Signals, self._wake_reader.recv(4096))
                self._stop_signals += [number for number in received if number in STOPPING]

    def _stop(self, stage: StartupStage) -> None:
        """Send SIGTERM, SIGTERM again, then SIGKILL; a further Ctrl-C sends SIGKILL directly."""
        for process in stage.processes:
            process.start_again_at = None
        for running in stage.running():
            running.terminate()
        now = time.monotonic()
        steps = [
            (now + stage.grace, Running.terminate, "Told to stop again"),
            (now + stage.grace + SECOND_GRACE, Running.kill, "Killed"),
        ]
        self._stop_signals.clear()
        while remaining := [
            running for running in stage.running() if self._end_of(running) is None
        ]:
            if self._stop_signals:
                self._stop_signals.clear()
                steps = [(now, Running.kill, "Killed")]
            while steps and steps[0][0] <= time.monotonic():
                _, act, what = steps.pop(0)
                self._console.say(f"{what}: {', '.join(run.process.name for run in remaining)}.")
                for running in remaining:
                    act(running)
            self._turn(steps[0][0] if steps else None)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Receive signals as bytes that wake the selector, so that no handler interrupts code."""
        self._selector = selectors.DefaultSelector()
        self._wake_reader, writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        writer.setblocking(False)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)
        descriptor = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        handlers = {number: signal.getsignal(number) for number in (*STOPPING, signal.SIGCHLD)}
        for number, handler in handlers.items():
            # nohup ignores SIGHUP on purpose.
            if (number, handler) != (signal.SIGHUP, signal.SIG_IGN):
                signal.signal(number, lambda *_: None)
        try:
            yield
        finally:
            signal.set_wakeup_fd(descriptor)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            self._selector.close()
            self._wake_reader.close()
            writer.close()


def _obituary(process: Process, how: str) -> str:
    last = "\n".join(f"  {line}" for line in process.last_lines)
    return (
        f"{process.name} ended more than {process.restart_policy.most} times within "
        f"{process.restart_policy.window:g} seconds, so everything was stopped. "
        f"The last time it {how}"
        + (f"; its last lines were:\n{last}" if last else ", without a word.")
    )
