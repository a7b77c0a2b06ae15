"""Examination of one entry: runs all checks and returns the report."""

import time
from collections import Counter
from contextlib import ExitStack, nullcontext
from typing import Any

from validation.harness.entry import Entry, unsupported
from validation.harness.judge import checks
from validation.harness.judge.own_test import OwnTest, compare_with_recordings
from validation.harness.judge.practical import PracticalBound, declared_factor
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.judge.unvaried import unvaried
from validation.harness.options import Options
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.choice import (
    select_affordable,
    select_answered,
    select_for_orders,
    select_large,
    select_precise,
    select_wrong_once,
    select_wrong_values,
)
from validation.harness.plan.input_limits import left_to_the_test
from validation.harness.plan.trials import TrialInputs
from validation.harness.pool.children import Child
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import (
    Check,
    Report,
    Verdict,
    figures,
    grades,
    presentable,
    verdict_of,
)
from validation.harness.session.answered import Answered, check_test, load_answered
from validation.harness.session.entry_session import Session, Stopped
from validation.harness.session.recordings import Recordings
from validation.harness.session.references import add_rounding
from validation.harness.session.replays import compile_kernels, judged, replay


class Examination:
    """Examination of one entry. It collects the checks as they finish.

    alone: use a replayer that serves no other entry.
    answered: the reference's answers, if known. The test's check 7 is then left out.
    options: options of this run, or None for those of the pool.
    """

    def __init__(
        self, entry: Entry, pool: WorkerPool, *, alone: bool, answered: Answered | None = None,
        options: Options | None = None,
    ) -> None:  # fmt: skip
        self.entry, self.pool, self.options = entry, pool, options or pool.options
        self.session = Session(entry, pool, alone=alone, options=options)
        self.answered = answered
        self.checks: list[Check] = []
        self.figures: dict[str, Any] = {}
        self.left_out = ""

    def report(self) -> Report:
        started = time.monotonic()
        try:
            with self.session.reading():
                self._examine()
        except Stopped as stopped:
            self.checks.append(stopped.check)
        finally:
            self.pool.forget(self.session.cache)
        seconds = {**self.session.seconds, "total": time.monotonic() - started}
        seconds["run"] = seconds["total"] - seconds["compile"] - seconds["wait"]
        # If a check was made twice, use the last result, which says why the examination ended.
        made = tuple({check.name: check for check in self.checks}.values())
        verdict, message = verdict_of(made)
        if verdict is Verdict.PASSED and self.left_out:
            message = f"{message}; {self.left_out}"
        return Report(
            id=self.entry.id,
            verdict=verdict,
            message=presentable(message),
            checks=presentable(made),
            seconds={name: round(value, 4) for name, value in seconds.items()},
            environment={**self.pool.environment(), "seed": self.options.seed},
            figures=presentable({**self.figures, **figures(made), "grades": grades(made)}),
        )

    def _examine(self) -> None:
        if words := unsupported(self.entry, self.pool.environment().get("triton", "")):
            raise Stopped(Check("triton", Verdict.UNSUPPORTED, words))
        if not self.session.wants(*(set(self.options.checks) - {"test"})):
            self._test()
            return
        if self.answered is not None:
            self._candidates(self.answered)
            return
        with self.pool.reference() as author:
            answered = load_answered(self.session, author)
            self._candidates(answered)
            if self.session.wants("falsifiable"):
                self.checks.append(check_test(self.session, author, answered))

    def _candidates(self, answered: Answered) -> None:
        """Run the checks of the launcher: record its calls, replay them and compare the answers."""
        wanted, device, inputs = answered.wanted, answered.device, answered.tried.inputs
        self.left_out = left_to_the_test(answered.tried.too_large, self.session.limits)
        bound = PracticalBound(declared_factor(self.entry.triton_code), answered.tolerance)
        inputs = inputs.of_trials(select_answered(inputs.trials, wanted))
        text = self.entry.triton_code
        inputs = inputs.of_trials(select_precise(inputs.trials, bound, text))
        inputs = inputs.of_trials(select_affordable(inputs, wanted, self.options.device))
        order = self.session.order("triton_code")
        with ExitStack() as stack:
            child = stack.enter_context(self.session.candidate("launcher"))
            recordings = Recordings(self.session, child, inputs, order, wanted)
            if not self.session.shares:
                stack.close()
            runs, wanted = self._replays(order, recordings, inputs, wanted, device, bound)
            suite = None
            if self.session.wants("test"):
                suite = self._test(child if self.session.shares else None)
        self._judge(recordings, suite, runs, wanted, answered.tried)
        if self.session.device == "cpu" and self.session.wants("compiles"):
            self.checks.append(compile_kernels(self.session, recordings))

    def _replays(
        self, order: dict[str, Any], recordings: Recordings, inputs: Inputs,
        wanted: dict[int, Wanted], device: str, bound: PracticalBound,
    ) -> tuple[list[JudgedReplay], dict[int, Wanted]]:  # fmt: skip
        """Return the judged replays, and the expected answers, some with rounding effects added."""
        if self.session.device == "cpu" and self.session.wants("memory"):
            inputs = inputs.of_trials(select_for_orders(inputs.trials, recordings.programs))
        with self.session.candidate("replayer") as child:
            small = [trial for trial in inputs.trials if trial.kind != "large"]
            answers = replay(
                self.session, child, order, recordings, inputs.of_trials(small), wanted
            )
            runs = judged(answers, inputs, wanted, bound)
            if large := select_large(inputs, runs):
                more = inputs.of_trials(large)
                answers += replay(self.session, child, order, recordings, more, wanted)
                runs = judged(answers, inputs, wanted, bound)
            if trials := select_wrong_values(runs):
                wanted = add_rounding(self.session, device, wanted, inputs.of_trials(trials))
                runs = judged(answers, inputs, wanted, bound)
            if unsure := select_wrong_once(runs):
                again = inputs.of_trials(unsure)
                answers = replay(self.session, child, order, recordings, again, wanted)
                runs += judged(answers, again, wanted, bound)
        return runs, wanted

    def _judge(
        self, recordings: Recordings, suite: dict[str, Any] | None, runs: list[JudgedReplay],
        wanted: dict[int, Wanted], tried: TrialInputs,
    ) -> None:  # fmt: skip
        idle = [run for run in runs if run.mode == "idle"]
        runs = [run for run in runs if run.mode != "idle"]
        problems: Counter[str] = Counter()
        computed: Counter[str] = Counter()
        for recorded in recordings.every:
            problems.update(recorded.problems)
            computed.update(recorded.computed)
        own_test = OwnTest()
        if suite is not None:
            own_test = compare_with_recordings(list(suite["calls"]), recordings.summaries())
            computed.update(own_test.computed)
        origin = self.entry.origin
        right = {run.trial.number for run in runs if run.right}
        same = unvaried(tried.inputs, sorted(right), self.entry.python_code, self.entry.entry_point)
        within = checks.within_domain(runs, origin)
        text, sees_reads = self.entry.triton_code, self.options.device == "interpreter"
        made = (
            checks.accuracy(runs, wanted, self.left_out),
            checks.variations(runs, wanted, origin, tried.sizes_untried, same),
            checks.memory(within, wanted),
            checks.determinism(within),
            checks.triton(within, idle, problems, computed, own_test.words, text),
            checks.bounds(checks.in_bounds(runs, origin), sees_reads=sees_reads),
            checks.gradients(within, self.entry.differentiable),
        )
        self.checks += [check for check in made if self.session.wants(check.name)]
        self.figures["runs"] = len(runs)
        seconds = sum(float(run.details.get("seconds", 0.0)) for run in runs)
        self.figures["kernel_seconds"] = round(seconds, 4)

    def _test(self, child: Child | None = None) -> dict[str, Any]:
        """Run the entry's own test in a child, and return what the child reports.

        child: the child that recorded the launcher, if it can also run the test.
        """
        order = self.session.order("python_code", "triton_code", "test_code")
        with nullcontext(child) if child else self.session.candidate("launcher") as child:
            header = self.session.ask(child, "suite", "suite", order).header
            self.checks.insert(0, checks.test(header))
            return dict(header)
