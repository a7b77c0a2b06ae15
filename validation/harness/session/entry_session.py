"""Requests to child processes about one entry. A timeout, forgery or crash becomes a verdict."""

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from validation.harness.entry import Entry
from validation.harness.judge.numbers import Unreadable
from validation.harness.judge.policy import compile_seconds
from validation.harness.options import Options
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.input_limits import INPUT_LIMITS
from validation.harness.plan.trial_plan import Trial
from validation.harness.pool.children import (
    Broken,
    Child,
    ChildAnswer,
    DeadlinePassed,
    NoAnswer,
)
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.program_reader import BadProgram
from validation.harness.report import Check, Verdict

MISREAD = (
    LookupError, TypeError, AttributeError, ValueError, ArithmeticError, Unreadable, BadProgram,
)  # fmt: skip
# CHECKS: the check that a step belongs to. BLAMED: start of the message if a step or role fails.
CHECKS = {"suite": "test", "damage": "falsifiable", "compile": "compiles"}
BLAMED = {"inputs": "make_inputs: ", "author": "test_code: ", "reference": "python_code: "}


class Stopped(Exception):
    """The examination of the entry stops; `check` has the reason."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.words)
        self.check = check


class Session:
    """Requests to children about one entry, and the seconds that the children take.

    alone: use a replayer that serves no other entry.
    options: options of this run, or None for those of the pool.
    """

    def __init__(
        self, entry: Entry, pool: WorkerPool, *, alone: bool, options: Options | None = None
    ) -> None:
        self.entry, self.pool, self.alone = entry, pool, alone
        self.options = options or pool.options
        self.device = "cuda" if pool.options.device == "cuda" else "cpu"
        self.limits = INPUT_LIMITS[pool.options.device]
        self.check = "accuracy"
        """The check of the last request, to name in the verdict on a malformed answer."""
        self.seconds = {"compile": 0.0, "wait": 0.0}
        self.unanswered: dict[str, float] = {}
        """Share of a processor that a child had before it timed out or ended, by its role."""
        self.compile_budget = compile_seconds(entry.origin)
        # Compile cache that only this entry's processes share, so that each kernel compiles once.
        self.cache = secrets.token_hex(8)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise Stopped for a malformed answer, which the entry's code may have written."""
        try:
            yield
        except MISREAD as error:
            words = f"a result that can't be read: {type(error).__name__} {error}"
            raise Stopped(Check(self.check, Verdict.CRASHED, words)) from error

    def wants(self, *names: str) -> bool:
        return any(name in self.options.checks for name in names)

    @property
    def shares(self) -> bool:
        """True if a child may serve more than one role."""
        return self.pool.shares(alone=self.alone)

    @contextmanager
    def candidate(self, role: str) -> Iterator[Child]:
        started = time.monotonic()
        with self.pool.candidate(role, alone=self.alone) as child:
            self.seconds["wait"] += time.monotonic() - started
            yield child

    def order(self, *texts: str, device: str = "") -> dict[str, Any]:
        """Return the common part of requests to a child: texts of the entry, and settings."""
        return {
            **{name: getattr(self.entry, name) for name in texts},
            "entry_point": self.entry.entry_point,
            "device": device or self.device,
            "gradients": self.entry.differentiable and self.wants("gradients"),
            "seed": self.options.seed,
            "gpu_memory": self.options.gpu_memory,
            "cache": self.cache,
        }

    def make(
        self, author: Child, trials: list[Trial], most: int, largest: int | None = None
    ) -> tuple[Inputs, list[Any]]:
        """Return the trials' inputs, and the author's description of each trial's inputs.

        most: limit in bytes of all inputs.
        largest: limit in bytes for one trial; None for the usual limit.
        """
        order = {
            "most": self.limits.one if largest is None else largest,
            "altogether": most,
            "wanted": [
                {"case": trial.case, "variant": trial.variant, "foretell": trial.is_heavy}
                for trial in trials
            ],
        }
        answer = self.ask(author, "author", "inputs", order)
        made = list(answer.header["made"])
        return Inputs.of(trials, made, answer.blobs), made

    def ask(
        self, child: Child, role: str, step: str, order: dict[str, Any],
        blobs: Sequence[memoryview] = (),
    ) -> ChildAnswer:  # fmt: skip
        """Return the child's answer to a request for a step of this role, or raise Stopped."""
        name, self.check = CHECKS.get(step, role), CHECKS.get(step, "accuracy")
        started, compiled = time.monotonic(), child.compile_seconds
        left = max(0.0, self.compile_budget - self.seconds["compile"])
        try:
            return child.ask(role, step, order, self.options.timeout, blobs, compile_budget=left)
        except NoAnswer as failed:
            if not isinstance(failed, Broken):
                self.unanswered[role] = child.seconds / max(time.monotonic() - started, 0.001)
            verdict, words = Verdict.CRASHED, str(failed)
            if isinstance(failed, DeadlinePassed):
                verdict, words = Verdict.TIMEOUT, f"not done after {self.options.timeout:g} s"
                if failed.compiling:
                    words = f"compiling takes more than {self.compile_budget:g} s"
            blamed = BLAMED.get(step) or BLAMED.get(role, "")
            raise Stopped(Check(self.check, verdict, f"{blamed}{words}")) from None
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - started
            self.seconds["compile"] += child.compile_seconds - compiled
