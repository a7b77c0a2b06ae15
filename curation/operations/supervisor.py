"""Supervisor of `up`: starts processes by stage, restarts them, stops them in reverse."""

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType

from curation.errors import CurationError
from curation.operations.console import Console
from curation.operations.process import WINDOW_SECONDS, Process

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds between two checks of the processes, and between messages that a stage is not ready.
LOOK_SECONDS = 0.1
COMPLAIN_SECONDS = 15
# Seconds after a second SIGTERM, which makes an rq worker abort its job instead of finishing it.
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
        self._started: list[Process] = []
        # Times of the next starts of ended processes.
        self._due: dict[Process, float] = {}
        # Names of the received signals: the first stops all processes, a second one kills them.
        self._signals: list[str] = []

    def run(self) -> None:
        """Run until a stop is requested. Raise KeepsEnding if a process can't be kept running."""
        before = {
            number: signal.signal(number, self._on_signal)
            for number in STOPPING
            # nohup ignores SIGHUP on purpose.
            if (number, signal.getsignal(number)) != (signal.SIGHUP, signal.SIG_IGN)
        }
        try:
            if self._start_stages():
                self._when_ready()
            while self._look():
                time.sleep(LOOK_SECONDS)
            reason = self._signals[0] if self._signals else "the output was closed"
            self._console.say(f"Stopping ({reason}). Ctrl-C again: at once.")
        except CurationError:
            self._console.say("Stopping everything.")
            raise
        finally:
            # Dependencies stop last, so that jobs can be reported until the end.
            for stage in reversed(self._stages):
                self._stop(stage)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals.append(signal.Signals(number).name)

    def _start_stages(self) -> bool:
        """Start the stages in order. Return False if a stop was requested meanwhile."""
        for stage in self._stages:
            for process in stage.processes:
                process.start(self._console.line)
                self._started.append(process)
            complain_at = time.monotonic() + COMPLAIN_SECONDS
            while lack := stage.lacks():
                if time.monotonic() >= complain_at:
                    self._console.say(f"Still waiting: {lack}")
                    complain_at += COMPLAIN_SECONDS
                if not self._look():
                    return False
                time.sleep(LOOK_SECONDS)
        return True

    def _look(self) -> bool:
        """Start ended processes again when it is time. Return False if a stop is requested."""
        if self._signals or self._console.lost:
            return False
        now = time.monotonic()
        for process in self._started:
            if how := process.ended():
                delay = process.restart_delay(now)
                if delay is None:
                    raise KeepsEnding(_explanation(process, how))
                self._console.say(f"{process.name} {how}; starting it again in {delay:g} s.")
                self._due[process] = now + delay
            elif now >= self._due.get(process, float("inf")):
                del self._due[process]
                process.start(self._console.line)
        return True

    def _stop(self, stage: StartupStage) -> None:
        """Send SIGTERM twice, then SIGKILL. After a further Ctrl-C, send SIGKILL at once."""
        known = len(self._signals)
        for grace, sentence in ((stage.grace, ""), (SECOND_GRACE, "Told to stop again")):
            if (running := _running(stage)) and sentence:
                self._console.say(f"{sentence}: {_names(running)}.")
            for process in running:
                process.terminate()
            deadline = time.monotonic() + grace
            while _running(stage) and time.monotonic() < deadline and len(self._signals) == known:
                time.sleep(LOOK_SECONDS)
            if len(self._signals) > known:
                break
        if running := _running(stage):
            self._console.say(f"Killed: {_names(running)}.")
        for process in running:
            process.kill()
        while _running(stage):
            time.sleep(LOOK_SECONDS)


def _running(stage: StartupStage) -> list[Process]:
    return [process for process in stage.processes if process.running and not process.ended()]


def _names(processes: Sequence[Process]) -> str:
    return ", ".join(process.name for process in processes)


def _explanation(process: Process, how: str) -> str:
    last = "\n".join(f"  {line}" for line in process.last_lines)
    return (
        f"{process.name} ended more than {process.most_ends} times within "
        f"{WINDOW_SECONDS:g} seconds, so everything was stopped. "
        f"The last time it {how}"
        + (f"; its last lines were:\n{last}" if last else ", without a word.")
    )
