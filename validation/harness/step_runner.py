"""Steps of one entry in children, and verdicts from a timeout, forged data or a crash."""

import secrets
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from validation.harness import plan
from validation.harness.children import (
    SERVER_ENDED,
    Answer,
    Child,
    ChildEnded,
    DeadlinePassed,
    Forged,
)
from validation.harness.entry import Entry
from validation.harness.input_limits import INPUT_LIMITS
from validation.harness.judge.numbers import Unreadable
from validation.harness.program_reader import BadProgram
from validation.harness.report import Check, Verdict
from validation.harness.verdicts import ended_as, said_broken
from validation.harness.worker_pool import WorkerPool

Asked = tuple[list[plan.Trial], Answer]
MISREAD = (
    LookupError, TypeError, AttributeError, ValueError, ArithmeticError, Unreadable, BadProgram,
)  # fmt: skip
# By step: the name of its time, and the check that a failure of it belongs to.
NAMES = {"suite": "test", "damage": "falsifiable"}
# By role: the text that a failure names.
TEXTS = {"author": "test_code", "reference": "python_code"}


class Stopped(Exception):
    """The examination of the entry ends here; the check says why."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.words)
        self.check = check


class StepRunner:
    """Runs the steps of one entry.

    alone: in processes that serve no other entry.
    cache: the secret name of what the entry's processes compile.
    """

    def __init__(self, entry: Entry, pool: WorkerPool, *, alone: bool) -> None:
        self.entry, self.pool, self.options, self.alone = entry, pool, pool.options, alone
        self.seconds: dict[str, float] = {}
        self.limits = INPUT_LIMITS[pool.options.device]
        self.cache = secrets.token_hex(8)

    def _wants(self, *names: str) -> bool:
        return any(name in self.options.checks for name in names)

    def _make(self, author: Child, trials: list[plan.Trial], altogether: int) -> Asked:
        order = {
            "most": self.limits.one,
            "altogether": altogether,
            "wanted": [
                {"case": trial.case, "twist": trial.twist, "foretell": plan.heavy(trial.case)}
                for trial in trials
            ],
        }
        return trials, self._ask(author, "", "inputs", order)

    def _gpu(self) -> dict[str, Any]:
        """Return the entry's share of the GPU, and the cache that its processes have in common."""
        return {"gpu_memory": self.options.gpu_memory, "cache": self.cache}

    def _device(self) -> str:
        return "cuda" if self.options.device == "cuda" else "cpu"

    def _candidate(self, role: str) -> AbstractContextManager[Child]:
        return self.pool.candidate(role, self.entry.owner, alone=self.alone)

    def _ask(
        self, child: Child, begin: str, step: str, order: dict[str, Any],
        blobs: list[memoryview] | None = None, role: str = "",
    ) -> Answer:  # fmt: skip
        """Return the answer of one step, or raise Stopped."""
        role = role or begin
        name, check = NAMES.get(step, role or step), NAMES.get(step, "accuracy")
        text = "make_inputs" if step == "inputs" else TEXTS.get(role, "")
        prefix = f"{text}: " if text else ""
        started = time.monotonic()
        try:
            answer = child.ask(begin, step, order, self.options.timeout, blobs or [])
        except DeadlinePassed:
            words = f"{prefix}not done after {self.options.timeout:g} s"
            raise Stopped(Check(check, Verdict.TIMEOUT, words)) from None
        except Forged as error:
            raise Stopped(Check(check, Verdict.CRASHED, f"{prefix}{error}")) from None
        except ChildEnded as ended:
            if ended.why == SERVER_ENDED:
                raise
            raise Stopped(ended_as(check, prefix, ended)) from None
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - started
        if words := said_broken(answer.header):
            raise Stopped(Check(check, Verdict.CRASHED, f"{prefix}{words}"))
        if not isinstance(answer.header, dict):
            words = f"{prefix}a result that can't be read: no header"
            raise Stopped(Check(check, Verdict.CRASHED, words))
        return answer


@contextmanager
def reading(check: str) -> Iterator[None]:
    """Turn an answer that can't be read into a verdict: the entry's code wrote it."""
    try:
        yield
    except MISREAD as error:
        words = f"a result that can't be read: {type(error).__name__} {error}"
        raise Stopped(Check(check, Verdict.CRASHED, words)) from error
