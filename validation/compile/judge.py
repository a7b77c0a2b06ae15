"""Client of sandboxed workers for kernels: compile check, and launch of one block."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from validation.compile.outcome import (
    Compiled,
    Environment,
    LaunchOutcome,
    Unit,
    crashed,
    launch,
    outcome,
    timed_out,
)
from validation.harness.pool.questions import Reply, Workers
from validation.harness.sandbox import Level
from validation.harness.sandbox.seal import confined_by

TARGET = "cuda:90"
WORKER = "validation.compile.worker"
# CPU seconds for one kernel.
SECONDS = 30.0
# CPU seconds for one block in the interpreter.
LAUNCH_SECONDS = 10.0


class Judge(ExitStack):
    """Context manager; `judge.compile(units)` yields each unit with its outcome."""

    def __init__(
        self,
        *,
        target: str = TARGET,
        parallel: int | None = None,
        seconds: float = SECONDS,
        level: Level | None = None,
    ) -> None:
        super().__init__()
        self._target = target
        workers = Workers(WORKER, target=target, seconds=seconds, parallel=parallel, level=level)
        self._workers = self.enter_context(workers)

    @property
    def environment(self) -> Environment:
        """Environment in which the answers hold, as the worker reports it. Starts the worker."""
        workers = self._workers
        return Environment(
            target=self._target,
            sandbox=confined_by(workers.level),
            memory=workers.memory,
            **workers.versions,
        )

    def compile(
        self,
        units: Iterable[Unit],
        beat: Callable[[], None] = lambda: None,
        begin: Callable[[int], None] = lambda _: None,
    ) -> Iterator[tuple[Unit, Compiled]]:
        """Yield each unit with its outcome, in order of completion.

        `beat` is called every second, and `begin` with a key before its unit is sent. Either may
        end the iteration by raising.
        """
        by_key = {unit.key: unit for unit in units}
        questions = (question(unit, target=self._target) for unit in by_key.values())
        for request, reply in self._workers.ask(questions, beat, begin):
            yield by_key[request["key"]], read_outcome(reply)


class TrialLauncher(ExitStack):
    """Context manager that launches kernels with the signatures that the compile check found."""

    def __init__(
        self, *, target: str = TARGET, seconds: float = LAUNCH_SECONDS, level: Level | None = None
    ) -> None:
        super().__init__()
        self._seconds = seconds
        workers = Workers(
            WORKER, target=target, device="interpreter", seconds=seconds, parallel=1, level=level
        )
        self._workers = self.enter_context(workers)

    def launch(
        self, unit: Unit, compiled: Compiled, beat: Callable[[], None] = lambda: None
    ) -> LaunchOutcome:
        arguments = {"signature": dict(compiled.signature), "constants": dict(compiled.constants)}
        [(_, reply)] = self._workers.ask([question(unit, **arguments)], beat)
        if reply.timeout:
            return LaunchOutcome(False, f"it took more than {self._seconds:g} s")
        return read_launch(reply)


def question(unit: Unit, **more: Any) -> dict[str, Any]:
    return {"key": unit.key, "source": unit.source, "name": unit.name, **more}


def read_launch(reply: Reply) -> LaunchOutcome:
    if reply.trouble:
        return LaunchOutcome(False, reply.trouble)
    try:
        return launch(reply.answer)
    except Exception:  # noqa: BLE001 - an invalid answer costs this launch alone
        return LaunchOutcome(False, "its answer can't be read")


def read_outcome(reply: Reply) -> Compiled:
    if reply.timeout:
        return timed_out(reply.seconds)
    if reply.trouble:
        return crashed(reply.trouble, reply.seconds)
    try:
        return outcome(reply.answer, reply.seconds)
    except Exception as error:  # noqa: BLE001 - an invalid answer costs this unit alone
        return crashed(f"its answer can't be read: {type(error).__name__}", reply.seconds)
