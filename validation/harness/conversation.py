"""Questions to children about one entry, and verdicts from a timeout, forged data or a crash."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from validation.harness import plan
from validation.harness.children import Answer, Child, ChildEnded, DeadlinePassed, Forged
from validation.harness.crew import Crew
from validation.harness.entry import Entry
from validation.harness.judge.numbers import Unreadable
from validation.harness.policy import compile_seconds
from validation.harness.program_reader import BadProgram
from validation.harness.report import Check, Verdict
from validation.harness.room import ROOM
from validation.harness.verdicts import ended_as, said_broken

Asked = tuple[list[plan.Trial], Answer]
MISREAD = (
    LookupError, TypeError, AttributeError, ValueError, ArithmeticError, Unreadable, BadProgram,
)  # fmt: skip


class Stopped(Exception):
    """The examination of the entry ends here; the check says why."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.words)
        self.check = check


class Conversation:
    """`alone`: in processes that serve no other entry."""

    def __init__(self, entry: Entry, crew: Crew, *, alone: bool) -> None:
        self.entry, self.crew, self.options, self.alone = entry, crew, crew.options, alone
        self.seconds: dict[str, float] = {"compile": 0.0}
        self.compile_budget = compile_seconds(entry.origin)
        self.room = ROOM[crew.options.device]
        self.cache = secrets.token_hex(8)

    def _wants(self, *names: str) -> bool:
        return any(name in self.options.checks for name in names)

    def _make(self, author: Child, trials: list[plan.Trial], altogether: int) -> Asked:
        order = {
            "most": self.room.one,
            "altogether": altogether,
            "wanted": [
                {"case": trial.case, "twist": trial.twist, "foretell": plan.heavy(trial.case)}
                for trial in trials
            ],
        }
        return trials, self._ask(author, "", "inputs", order)

    def _gpu(self) -> dict[str, Any]:
        """Name a cache of this entry alone: what one process compiles for it serves the next."""
        return {"gpu_memory": self.options.gpu_memory, "cache": self.cache}

    def _device(self) -> str:
        return "cuda" if self.options.device == "cuda" else "cpu"

    @contextmanager
    def _candidate(self, role: str) -> Iterator[Child]:
        with self.crew.candidate(role, self.entry.owner, alone=self.alone) as child:
            yield child

    def _ask(
        self, child: Child, begin: str, step: str, order: dict[str, Any],
        blobs: list[memoryview] | None = None, role: str = "",
    ) -> Answer:  # fmt: skip
        role = role or begin
        name = {"suite": "test", "damage": "falsifiable"}.get(step, role or step)
        check = {"suite": "test", "damage": "falsifiable"}.get(step, "accuracy")
        who = {"author": "test_code", "reference": "python_code"}.get(role, "")
        who = "make_inputs" if step == "inputs" else who
        prefix = f"{who}: " if who else ""
        started, compiled = time.monotonic(), child.compile_seconds
        left = max(0.0, self.compile_budget - self.seconds["compile"])
        try:
            answer = child.ask(
                begin, step, order, self.options.timeout, blobs or [], compile_budget=left
            )
        except DeadlinePassed as passed:
            words = f"{prefix}not done after {self.options.timeout:g} s"
            if passed.compiling:
                words = f"{prefix}compiling takes more than {self.compile_budget:g} s"
            raise Stopped(Check(check, Verdict.TIMEOUT, words)) from None
        except Forged as error:
            raise Stopped(Check(check, Verdict.CRASHED, f"{prefix}{error}")) from None
        except ChildEnded as ended:
            if ended.why == "parent":
                raise
            raise Stopped(ended_as(check, prefix, ended)) from None
        else:
            if words := said_broken(answer.header):
                raise Stopped(Check(check, Verdict.CRASHED, f"{prefix}{words}"))
            if not isinstance(answer.header, dict):
                words = f"{prefix}a result that can't be read: no header"
                raise Stopped(Check(check, Verdict.CRASHED, words))
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - started
            self.seconds["compile"] += child.compile_seconds - compiled
        return answer


@contextmanager
def reading(check: str) -> Iterator[None]:
    """Turn an answer that can't be read into a verdict: the entry's code wrote it."""
    try:
        yield
    except MISREAD as error:
        words = f"a result that can't be read: {type(error).__name__} {error}"
        raise Stopped(Check(check, Verdict.CRASHED, words)) from error
