"""Asks a sandboxed worker about kernels. Nothing that it runs ever runs here; only JSON is read."""

import json
import os
import select
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from validation.compile.outcome import (
    Environment,
    Launch,
    Outcome,
    Unit,
    crashed,
    launch,
    outcome,
    timed_out,
)
from validation.sandbox import Confinement, Level, Limits, best, kill, python_readable, start
from validation.sandbox.python import module

TARGET = "cuda:90"
WORKER = "validation.compile.worker"
# Of one processor, for one kernel.
SECONDS = 30.0
# And to be run in the interpreter, one block of it.
LAUNCH_SECONDS = 10.0
# Importing torch and Triton on a busy machine.
START_SECONDS = 180.0
# A worker that says nothing for so many times a kernel's own time is dead.
SILENCE = 6
# A worker is replaced now and then, with whatever its kernels left running.
LIFETIME = 300

LIMITS = Limits(
    memory=8 << 30, cpu_seconds=3600, processes=256, file_size=256 << 20, open_files=256
)
ENV = {
    # Forking after OpenMP has started threads hangs the child.
    "OMP_NUM_THREADS": "1",
    # Its default changes between releases.
    "TRITON_DEFAULT_FP_FUSION": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


class WorkerUnavailable(Exception):
    """The worker did not come up; the sentence says what it said."""


class Judge:
    """A context: `with Judge() as judge: for unit, outcome in judge.compile(units)`."""

    def __init__(
        self,
        *,
        target: str = TARGET,
        parallel: int | None = None,
        seconds: float = SECONDS,
        level: Level | None = None,
    ) -> None:
        self._target = target
        self._parallel = parallel or os.cpu_count() or 1
        self._seconds = seconds
        self._level = level or best()
        self._worker: _Worker | None = None
        self._versions: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    @property
    def environment(self) -> Environment:
        """What the answers hold for; starts the worker, which knows."""
        versions = self._running().versions
        return Environment(target=self._target, sandbox=str(self._level), **versions)

    def compile(
        self, units: Iterable[Unit], beat: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Unit, Outcome]]:
        """Each unit with what came of it, in the order in which they are done. `beat` is called
        every second meanwhile, and may end it by raising."""
        waiting = deque(units)
        asked: dict[int, Unit] = {}
        suspects: set[int] = set()
        while waiting or asked:
            # What was being worked on when a worker died is asked again, each alone.
            width = 1 if any(u.key in suspects for u in waiting) else 2 * self._parallel
            try:
                worker = self._running()
                while waiting and len(asked) < width:
                    unit = waiting.popleft()
                    asked[unit.key] = unit
                    worker.ask(unit, self._seconds)
                said = worker.answer(SILENCE * self._seconds, beat)
            except _WorkerDied as died:
                self._stop()
                for unit in asked.values():
                    if unit.key in suspects:
                        yield unit, crashed(str(died), 0.0)
                    else:
                        suspects.add(unit.key)
                        waiting.appendleft(unit)
                asked.clear()
                continue
            if (unit_done := asked.pop(said["key"], None)) is not None:
                yield unit_done, _read(said)
            if worker.asked >= LIFETIME and not asked:
                self._stop()

    def _running(self) -> "_Worker":
        if self._worker is None:
            self._worker = _Worker(self._target, self._parallel, self._level)
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class Launcher:
    """A context as well: launches kernels whose signature the judge has found."""

    def __init__(
        self, *, target: str = TARGET, seconds: float = LAUNCH_SECONDS, level: Level | None = None
    ) -> None:
        self._target, self._seconds = target, seconds
        self._level = level or best()
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def launch(
        self, unit: Unit, compiled: Outcome, beat: Callable[[], None] = lambda: None
    ) -> Launch:
        if self._worker is None or self._worker.asked >= LIFETIME:
            self._stop()
            env = {**ENV, "TRITON_INTERPRET": "1"}
            self._worker = _Worker(self._target, 1, self._level, env)
        try:
            self._worker.ask(
                unit,
                self._seconds,
                signature=dict(compiled.signature),
                constants=dict(compiled.constants),
            )
            said = self._worker.answer(SILENCE * self._seconds, beat)
        except _WorkerDied as died:
            self._stop()
            return Launch(False, str(died))
        if said["timeout"]:
            return Launch(False, f"it took more than {self._seconds:g} s")
        try:
            return launch(json.loads(said["said"]))
        except (ValueError, AttributeError):
            return Launch(False, f"its process ended with status {said['status']}")

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _WorkerDied(Exception):
    pass


class _Worker:
    """One sandboxed process and the two pipes to it."""

    def __init__(
        self, target: str, parallel: int, level: Level, env: Mapping[str, str] = ENV
    ) -> None:
        package = Path(__file__).resolve().parents[1]
        confinement = Confinement(
            readable=(*python_readable(), package),
            limits=LIMITS,
            scratch=2 << 30,
            env=env,
        )
        self.asked = 0
        self._target = target
        self._reading, writing = os.pipe()
        self._rest = b""
        argv = module(WORKER, str(writing), str(parallel), target)
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
            ready = self.answer(START_SECONDS, lambda: None)
        except _WorkerDied as died:
            self.end()
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").strip().splitlines()
            said = f"{died}: {lines[-1]}" if lines else died
            raise WorkerUnavailable(f"The compiler's worker did not start: {said}") from None
        self.versions = {name: str(ready[name]) for name in ("triton", "torch", "python")}

    def ask(self, unit: Unit, seconds: float, **more: Any) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        self.asked += 1
        request = {
            "key": unit.key,
            "source": unit.source,
            "name": unit.name,
            "target": self._target,
            "seconds": seconds,
            **more,
        }
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise _WorkerDied(f"it takes no more requests: {error}") from None

    def answer(self, seconds: float, beat: Callable[[], None]) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            beat()
            ready, _, _ = select.select([self._reading], [], [], 1.0)
            if not ready and time.monotonic() < until:
                continue
            if not ready:
                raise _WorkerDied(f"it said nothing for {seconds:.0f} seconds")
            data = os.read(self._reading, 1 << 16)
            if not data:
                raise _WorkerDied("it ended without a word")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        return said

    def end(self) -> None:
        kill(self._process)
        if self._process.stdin is not None:
            self._process.stdin.close()
        os.close(self._reading)


def _read(said: dict[str, Any]) -> Outcome:
    seconds = float(said["seconds"])
    if said["timeout"]:
        return timed_out(seconds)
    try:
        return outcome(json.loads(said["said"]), seconds)
    except ValueError:
        return crashed(f"it ended with status {said['status']}", seconds)
