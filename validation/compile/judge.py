"""Asks sandboxed workers about kernels: do they compile, and does one block of them run?"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

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
from validation.sandbox import Level
from validation.sandbox.seal import confined_by
from validation.workers import Said, Workers

TARGET = "cuda:90"
WORKER = "validation.compile.worker"
# Of one processor, for one kernel.
SECONDS = 30.0
# And to be run in the interpreter, one block of it.
LAUNCH_SECONDS = 10.0


class Judge(ExitStack):
    """A context: `with Judge() as judge: for unit, outcome in judge.compile(units)`."""

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
        workers = Workers(WORKER, target, seconds=seconds, parallel=parallel, level=level)
        self._workers = self.enter_context(workers)

    @property
    def environment(self) -> Environment:
        """What the answers hold for; starts the worker, which knows."""
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
    ) -> Iterator[tuple[Unit, Outcome]]:
        """Each unit with what came of it, in the order in which they are done. `beat` is called
        every second meanwhile, and `begin` with the key of a unit before it goes to a worker;
        either may end it by raising."""
        asked = {unit.key: unit for unit in units}
        questions = (question(unit, target=self._target) for unit in asked.values())
        for about, said in self._workers.ask(questions, beat, begin):
            yield asked[about["key"]], read_outcome(said)


class Launcher(ExitStack):
    """A context as well: launches kernels whose signature the judge has found."""

    def __init__(
        self, *, target: str = TARGET, seconds: float = LAUNCH_SECONDS, level: Level | None = None
    ) -> None:
        super().__init__()
        env = {"TRITON_INTERPRET": "1"}
        self._seconds = seconds
        workers = Workers(WORKER, target, seconds=seconds, parallel=1, level=level, env=env)
        self._workers = self.enter_context(workers)

    def launch(
        self, unit: Unit, compiled: Outcome, beat: Callable[[], None] = lambda: None
    ) -> Launch:
        known = {"signature": dict(compiled.signature), "constants": dict(compiled.constants)}
        [(_, said)] = self._workers.ask([question(unit, **known)], beat)
        if said.timeout:
            return Launch(False, f"it took more than {self._seconds:g} s")
        return read_launch(said)


def question(unit: Unit, **more: Any) -> dict[str, Any]:
    return {"key": unit.key, "source": unit.source, "name": unit.name, **more}


def read_launch(said: Said) -> Launch:
    if said.trouble:
        return Launch(False, said.trouble)
    try:
        return launch(said.answer)
    except Exception:  # noqa: BLE001 - whatever was answered costs this launch alone
        return Launch(False, "its answer can't be read")


def read_outcome(said: Said) -> Outcome:
    if said.timeout:
        return timed_out(said.seconds)
    if said.trouble:
        return crashed(said.trouble, said.seconds)
    try:
        return outcome(said.answer, said.seconds)
    except Exception as error:  # noqa: BLE001 - whatever was answered costs this unit alone
        return crashed(f"its answer can't be read: {type(error).__name__}", said.seconds)
