"""The examination of one entry, from its texts to its report."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from validation.harness import plan
from validation.harness.arguments import batches, elements, gathered, storages, with_gaps
from validation.harness.children import Answer, Child
from validation.harness.choice import affordable, alike, counted, doubtful, off
from validation.harness.entry import Entry
from validation.harness.input_limits import (
    TooLarge,
    left_to_the_test,
    nothing_fits,
)
from validation.harness.judge import checks, evidence
from validation.harness.judge.evidence import Outcome, Wanted, raised
from validation.harness.judge.leeway import Leeway, declared, tolerances
from validation.harness.judge.own_test import OwnTest, compared
from validation.harness.recordings import Recorded, Recordings, with_constants
from validation.harness.references import Referring
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.step_runner import Asked, Stopped, reading
from validation.harness.verdicts import figures, grades, verdict_of
from validation.harness.worker_pool import WorkerPool


class Examination(Referring):
    """`alone`: in processes that serve no other entry."""

    def __init__(self, entry: Entry, pool: WorkerPool, *, alone: bool) -> None:
        super().__init__(entry, pool, alone=alone)
        self.checks: list[Check] = []
        self.figures: dict[str, Any] = {}
        self.leeway, self.sizes = Leeway(), plan.NO_SIZES
        self.elements: dict[int, int] = {}

    def report(self) -> Report:
        started = time.monotonic()
        try:
            self._examine()
        except Stopped as stopped:
            self.checks.append(stopped.check)
        finally:
            self.pool.forget(self.cache)
        self.seconds["total"] = time.monotonic() - started
        # The last entry of a check's name says why the examination ended there.
        made = tuple({check.name: check for check in self.checks}.values())
        verdict, message = verdict_of(made)
        if verdict is Verdict.PASSED and self.too_large:
            message = f"{message}; {left_to_the_test(self.too_large, self.limits)}"
        return Report(
            id=self.entry.id,
            verdict=verdict,
            message=presentable(message),
            checks=presentable(made),
            seconds={name: round(value, 4) for name, value in self.seconds.items()},
            environment={**self.pool.environment(), "seed": self.options.seed},
            figures=presentable({**self.figures, **figures(made), "grades": grades(made)}),
        )

    def _examine(self) -> None:
        if not self._wants(*(set(self.options.checks) - {"test"})):
            with self._candidate("suite") as child:
                self._test(child)
            return
        with self.pool.reference() as author:
            trials, arguments, blobs = self._inputs(author)
            wanted = self._reference(trials, arguments, blobs)
            self._candidates(trials, arguments, blobs, wanted)
            if self._wants("falsifiable"):
                said = self._damage(author)
                with reading("falsifiable"):
                    shown = [trial.number for trial in trials if trial.kind == "shown"]
                    groups = alike(trials)
                    self.checks.append(checks.falsifiable(said, wanted, shown, groups))

    def _damage(self, author: Child) -> dict[str, Any]:
        asked = {
            "instead": [[one.case, one.instead] for one in self.too_large],
            "gradients": self.entry.differentiable,
        }
        said = self._ask(author, "", "damage", asked).header
        with reading("falsifiable"):
            if self.options.device != "cuda" or not (said["control"] or said["skipped"]):
                return dict(said)
        # A test that is for GPUs only.
        texts = {"python_code": self.entry.python_code, "test_code": self.entry.test_code}
        order = {**texts, "entry_point": self.entry.entry_point, "device": "cuda", **self._gpu()}
        with self._candidate("author") as child:
            self._ask(child, "author", "cases", order)
            return dict(self._ask(child, "", "damage", asked).header)

    def _inputs(self, author: Child) -> tuple[list[plan.Trial], dict[int, Any], list[memoryview]]:
        texts = {"python_code": self.entry.python_code, "test_code": self.entry.test_code}
        order = {**texts, "entry_point": self.entry.entry_point}
        said = self._ask(author, "author", "cases", order).header
        if "error" in said:
            raise Stopped(Check("accuracy", Verdict.ERROR, f"test_code: {raised(said['error'])}"))
        with reading("accuracy"):
            cases = [dict(case) for case in said["cases"]]
            fixed = [str(name) for name in said["fixed"]]
            self.sizes = plan.sizes(said["sizes"])
            tolerance = tolerances(said["tolerance"])
            self.leeway = Leeway(declared(self.entry.triton_code), tolerance)
        if not cases:
            raise Stopped(Check("falsifiable", Verdict.VACUOUS, "CASES is empty"))
        device, seed = self.options.device, self.options.seed
        asked = [self._make(author, plan.shown(cases, device), self.limits.altogether // 2)]
        with reading("accuracy"):
            made = asked[0][1].header["made"]
            if refused := [one for one in made if "error" in one]:
                words = f"make_inputs: {raised(refused[0]['error'])}"
                raise Stopped(Check("accuracy", Verdict.ERROR, words))
            self.too_large = [
                TooLarge(trial.name, trial.case, int(one["bytes"]))
                for trial, one in zip(asked[0][0], made, strict=True)
                if "arguments" not in one
            ]
        asked += self._stand_ins(author, asked[0], fixed)
        with reading("accuracy"):
            shown = [
                (trial, one["arguments"], int(one["bytes"]), answer)
                for trials, answer in asked
                for trial, one in zip(trials, answer.header["made"], strict=True)
                if "arguments" in one
            ]
            gaps = with_gaps([arguments for _, arguments, _, _ in shown])
        if not shown:
            raise Stopped(
                Check("accuracy", Verdict.UNSUPPORTED, nothing_fits(self.too_large, self.limits))
            )
        self._repeats(author, *min(shown, key=lambda one: one[2]))
        if self._wants("variations"):
            bases = plan.light([(trial.case, taken) for trial, _, taken, _ in shown],
                               self.limits.light)  # fmt: skip
            common = self._habits(author, [trial.case for trial, _, _, _ in shown])
            more = plan.varied(bases, fixed, gaps, device, seed, len(cases), common, self.sizes)
            left = self.limits.altogether - sum(taken for _, _, taken, _ in shown)
            asked.append(self._make(author, more, left))
        with reading("accuracy"):
            return gathered(asked)

    def _stand_ins(self, author: Child, shown: Asked, fixed: list[str]) -> list[Asked]:
        """Make each case that is too large with smaller sizes, if they may be varied."""
        found: list[Asked] = []
        for place, one in enumerate(self.too_large):
            trial = next(trial for trial in shown[0] if trial.name == one.name)
            for case in plan.smaller(one.case, fixed, self.sizes):
                name = f"{one.name}, made smaller"
                smaller = replace(trial, name=name, case=case, stands_in=True)
                asked = self._make(author, [smaller], self.limits.light)
                with reading("accuracy"):
                    made = asked[1].header["made"][0]
                    if "arguments" in made:
                        found.append(asked)
                        self.too_large[place] = replace(one, instead=case)
                if "bytes" not in made or "arguments" in made:
                    break
        return found

    def _habits(self, author: Child, cases: list[plan.Case]) -> list[plan.Habit]:
        """Return what the inputs of all shown cases have in common, such as one sign."""
        said = self._ask(author, "", "habits", {"cases": cases}).header
        with reading("variations"):
            return [
                {"argument": int(one["argument"]), "habit": str(one["habit"])[:40]}
                for one in said.get("habits", ())
            ]

    def _repeats(
        self, author: Child, trial: plan.Trial, arguments: Any, _: int, first: Answer
    ) -> None:
        """Check that the same case gives the same inputs: else it is unknown what was tested."""
        again = self._make(author, [trial], self.limits.altogether)[1]
        with reading("accuracy"):
            made = again.header["made"][0].get("arguments")
            one, other = (
                [bytes(answer.blobs[place]) for place in storages(tree)]
                for tree, answer in ((arguments, first), (made, again))
            )
        if one != other:
            words = "make_inputs gives other inputs for the same case"
            raise Stopped(Check("falsifiable", Verdict.FAILED, words))

    def _candidates(
        self, trials: list[plan.Trial], arguments: dict[int, Any], blobs: list[memoryview],
        wanted: dict[int, Wanted],
    ) -> None:  # fmt: skip
        tried = affordable(counted(trials, wanted), arguments, wanted, self.options.device)
        self.elements = {trial.number: elements(arguments[trial.number]) for trial in tried}
        order = self._order("triton_code", self._device(), [], arguments)
        recordings = Recordings(self, tried, arguments, blobs, order)
        with self._candidate("replayer") as child:
            answers = self._replayed(child, order, recordings, tried, arguments, blobs, wanted)
            with reading("accuracy"):
                runs = [run for one in answers for run in self._read(one, tried, wanted)]
            if some := off(runs):
                wanted = self._with_rounding(wanted, some, arguments, blobs)
                with reading("accuracy"):
                    runs = [run for one in answers for run in self._read(one, tried, wanted)]
            if unsure := doubtful(runs):
                again = self._replayed(child, {}, recordings, unsure, arguments, blobs, wanted)
                with reading("accuracy"):
                    runs += [run for one in again for run in self._read(one, unsure, wanted)]
        suite: dict[str, Any] | None = None
        if self._wants("test"):
            with self._candidate("suite") as child:
                suite = self._test(child)
        with reading("triton"):
            self._judge(recordings, suite, runs, wanted)

    def _replayed(
        self, child: Child, order: dict[str, Any], recordings: Recordings,
        trials: list[plan.Trial], arguments: dict[int, Any], blobs: list[memoryview],
        wanted: dict[int, Wanted],
    ) -> list[Answer]:  # fmt: skip
        """Return the runs of all trials, batch by batch. A call that raised while it was recorded
        has no run; its error stands in for one."""
        answers: list[Answer] = []
        for some, held in batches(trials, arguments, blobs, self.limits.at_once):
            kinds: dict[int, int] = {}
            each: list[Recorded] = []
            asked, raising = [], []
            for trial in some:
                numbers = {}
                for mode in trial.modes:
                    recorded = recordings.of[trial.number][mode]
                    if recorded.raised is not None:
                        raising.append((trial, mode, recorded.raised))
                        continue
                    if id(recorded) not in kinds:
                        kinds[id(recorded)] = len(each)
                        each.append(recorded)
                    numbers[mode] = kinds[id(recorded)]
                asked.append({
                    "number": trial.number, "modes": list(numbers), "recordings": numbers,
                    "arguments": arguments[trial.number],
                    "written": list(wanted[trial.number].written),
                })  # fmt: skip
            used = {place for place, blob in enumerate(held) if len(blob)}
            programs, sent = with_constants(each, held, used)
            more = {**order, "trials": asked, "programs": programs}
            begin = "replayer" if order and not answers else ""
            answer = self._ask(child, begin, "answers", more, sent, role="replayer")
            with reading("accuracy"):
                answer.header["runs"] += [
                    {"trial": trial.number, "mode": mode, "error": error}
                    for trial, mode, error in raising
                ]
            answers.append(answer)
        return answers

    def _read(
        self, answer: Answer, trials: list[plan.Trial], wanted: dict[int, Wanted]
    ) -> list[Outcome]:
        return evidence.outcomes(
            answer.header, answer.blobs, trials, wanted, self.leeway, self.elements
        )

    def _judge(
        self, recordings: Recordings, suite: dict[str, Any] | None, runs: list[Outcome],
        wanted: dict[int, Wanted],
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
            own_test = compared(list(suite["calls"]), recordings.deeds())
            computed.update(own_test.computed)
        counted = checks.counted(runs, self.entry.origin)
        made: dict[str, Callable[[], Check]] = {
            "accuracy": lambda: checks.accuracy(
                runs, wanted, left_to_the_test(self.too_large, self.limits)
            ),
            "variations": lambda: checks.variations(runs, wanted, self.entry.origin),
            "memory": lambda: checks.memory(counted, wanted),
            "determinism": lambda: checks.determinism(counted),
            "triton": lambda: checks.triton(counted, idle, problems, computed, own_test.words),
            "bounds": lambda: checks.bounds(counted),
            "gradients": lambda: checks.gradients(counted, self.entry.differentiable),
        }
        self.checks += [judged() for name, judged in made.items() if self._wants(name)]
        self.figures["runs"] = len(runs)
        seconds = sum(float(run.said.get("seconds", 0.0)) for run in runs)
        self.figures["kernel_seconds"] = round(seconds, 4)

    def _test(self, child: Child) -> dict[str, Any]:
        entry = self.entry
        order = {
            "python_code": entry.python_code, "triton_code": entry.triton_code,
            "test_code": entry.test_code, "entry_point": entry.entry_point,
            "device": self._device(), **self._gpu(),
        }  # fmt: skip
        said = self._ask(child, "suite", "suite", order).header
        with reading("test"):
            self.checks.insert(0, checks.test(said))
            child.spoiled = self.checks[0].verdict is not Verdict.PASSED
            return dict(said)
