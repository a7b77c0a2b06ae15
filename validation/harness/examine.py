"""One entry from its texts to its report: who is asked what, in order."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from validation.harness import plan
from validation.harness.arguments import batches, gathered, storages, with_gaps
from validation.harness.choice import affordable, alike, counted, doubtful, off
from validation.harness.conversation import Asked, Stopped, reading
from validation.harness.crew import Crew
from validation.harness.entry import Entry
from validation.harness.judge import checks, evidence
from validation.harness.judge.evidence import Outcome, Wanted, raised
from validation.harness.nursery import Answer, Child
from validation.harness.references import Referring
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.room import (
    TooLarge,
    left_to_the_test,
    nothing_fits,
)
from validation.harness.verdicts import figures, verdict_of

EVERYTHING = 1 << 62


class Examination(Referring):
    """`alone`: in processes that serve no other entry."""

    def __init__(self, entry: Entry, crew: Crew, *, alone: bool) -> None:
        super().__init__(entry, crew, alone=alone)
        self.checks: list[Check] = []
        self.figures: dict[str, Any] = {}

    def report(self) -> Report:
        started = time.monotonic()
        try:
            self._examine()
        except Stopped as stopped:
            self.checks.append(stopped.check)
        finally:
            self.crew.forget(self.cache)
        self.seconds["total"] = time.monotonic() - started
        # What is said last of a check is why nothing more was learnt.
        made = tuple({check.name: check for check in self.checks}.values())
        verdict, message = verdict_of(made)
        if verdict is Verdict.PASSED and self.too_large:
            message = f"{message}; {left_to_the_test(self.too_large, self.room)}"
        return Report(
            id=self.entry.id,
            verdict=verdict,
            message=presentable(message),
            checks=presentable(made),
            seconds={name: round(value, 4) for name, value in self.seconds.items()},
            environment={**self.crew.environment(), "seed": self.options.seed},
            figures=presentable({**self.figures, **figures(made)}),
        )

    def _examine(self) -> None:
        if not self._wants(*(set(self.options.checks) - {"test"})):
            with self._candidate("suite") as child:
                self._test(child)
            return
        with self.crew.reference() as author:
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
        if not cases:
            raise Stopped(Check("falsifiable", Verdict.VACUOUS, "CASES is empty"))
        device, seed = self.options.device, self.options.seed
        asked = [self._make(author, plan.shown(cases, device), self.room.altogether // 2)]
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
                Check("accuracy", Verdict.UNSUPPORTED, nothing_fits(self.too_large, self.room))
            )
        self._repeats(author, *min(shown, key=lambda one: one[2]))
        if self._wants("variations"):
            bases = plan.light([(trial.case, taken) for trial, _, taken, _ in shown],
                               self.room.light)  # fmt: skip
            more = plan.varied(bases, fixed, gaps, device, seed, len(cases))
            left = self.room.altogether - sum(taken for _, _, taken, _ in shown)
            asked.append(self._make(author, more, left))
        with reading("accuracy"):
            return gathered(asked)

    def _stand_ins(self, author: Child, shown: Asked, fixed: list[str]) -> list[Asked]:
        """Of each case that is too large, the same made smaller, where its sizes may be varied."""
        found: list[Asked] = []
        for place, one in enumerate(self.too_large):
            trial = next(trial for trial in shown[0] if trial.name == one.name)
            for case in plan.smaller(one.case, fixed):
                name = f"{one.name}, made smaller"
                smaller = replace(trial, name=name, case=case, stands_in=True)
                asked = self._make(author, [smaller], self.room.light)
                with reading("accuracy"):
                    made = asked[1].header["made"][0]
                    if "arguments" in made:
                        found.append(asked)
                        self.too_large[place] = replace(one, instead=case)
                if "bytes" not in made or "arguments" in made:
                    break
        return found

    def _repeats(
        self, author: Child, trial: plan.Trial, arguments: Any, _: int, first: Answer
    ) -> None:
        """The same case must give the same inputs, or nobody can say what was tested."""
        again = self._make(author, [trial], self.room.altogether)[1]
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
        notes: list[str] = []
        suite: dict[str, Any] | None = None
        with self._candidate("candidate") as child:
            device = self._device()
            answers = self._answered(child, "candidate", device, tried, arguments, blobs)
            with reading("accuracy"):
                said = _together(answers)
                runs = [run for one in answers for run in self._read(one, tried, wanted)]
            if some := off(runs):
                wanted = self._with_rounding(wanted, some, arguments, blobs)
            with reading("accuracy"):
                if some:
                    runs = [run for one in answers for run in self._read(one, tried, wanted)]
                unsure = doubtful(runs)
                child.spoiled = bool(said["patched"] or said["conduct"] or _any_wrong(runs))
            if unsure:
                order = self._order("triton_code", device, unsure, arguments)
                held = next(held for _, held in batches(unsure, arguments, blobs, EVERYTHING))
                again = self._ask(child, "", "answers", order, held)
                with reading("accuracy"):
                    runs += self._read(again, unsure, wanted)
            if self._wants("test") and self.options.device != "cuda":
                suite = self._test(child)
        if self._wants("test") and self.options.device == "cuda":
            with self._candidate("suite") as child:
                suite = self._test(child)
        with reading("conduct"):
            self._judge(said, suite, runs, wanted, notes)

    def _read(
        self, answer: Answer, trials: list[plan.Trial], wanted: dict[int, Wanted]
    ) -> list[Outcome]:
        if "error" in answer.header:
            error = answer.header["error"]
            leaves = "exit" in error
            verdict = Verdict.CHEATING if leaves else Verdict.ERROR
            raise Stopped(Check("accuracy", verdict, f"triton_code: {raised(error)}"))
        lenient = self.entry.origin.startswith("real-world")
        return evidence.outcomes(answer.header, answer.blobs, trials, wanted, lenient=lenient)

    def _judge(
        self, said: dict[str, Any], suite: dict[str, Any] | None, runs: list[Outcome],
        wanted: dict[int, Wanted], notes: list[str],
    ) -> None:  # fmt: skip
        idle = [run for run in runs if run.mode == "idle"]
        runs = [run for run in runs if run.mode != "idle"]
        if any(run.raised and "exit" in run.raised for run in runs):
            notes.append("leaves by SystemExit")
        if words := checks.echo(runs, wanted):
            notes.append(words)
        counted = [run for run in runs if run.trial.kind != "limit"]
        made: dict[str, Callable[[], Check]] = {
            "accuracy": lambda: checks.accuracy(
                runs, wanted, left_to_the_test(self.too_large, self.room)
            ),
            "variations": lambda: checks.variations(runs, wanted),
            "memory": lambda: checks.memory(counted, wanted),
            "determinism": lambda: checks.determinism(counted),
            "triton": lambda: checks.triton(counted, idle),
            "bounds": lambda: checks.bounds(runs),
            "gradients": lambda: checks.gradients(counted, self.entry.differentiable),
        }
        self.checks += [judged() for name, judged in made.items() if self._wants(name)]
        self.checks.append(checks.conduct(said, suite, notes))
        self.figures["runs"] = len(runs)
        self.figures["kernel_seconds"] = round(sum(float(run.said["seconds"]) for run in runs), 4)

    def _test(self, child: Child) -> dict[str, Any]:
        entry = self.entry
        order = {
            "python_code": entry.python_code, "triton_code": entry.triton_code,
            "test_code": entry.test_code, "device": self._device(), **self._gpu(),
        }  # fmt: skip
        said = self._ask(child, "suite", "suite", order).header
        with reading("test"):
            self.checks.insert(0, checks.test(said))
            child.spoiled = bool(said["patched"]) or self.checks[0].verdict is not Verdict.PASSED
            if not self._wants(*(set(self.options.checks) - {"test"})):
                self.checks.append(checks.conduct(said, None, []))
            return dict(said)


def _together(answers: list[Answer]) -> dict[str, Any]:
    """What the candidate did besides, in all batches."""
    conduct: Counter[str] = Counter()
    for answer in answers:
        conduct.update({str(name): int(n) for name, n in answer.header["conduct"].items()})
    patched = [name for answer in answers for name in answer.header["patched"]]
    return {"conduct": dict(conduct), "patched": list(dict.fromkeys(patched))}


def _any_wrong(runs: list[Outcome]) -> bool:
    return any(not run.right for run in runs if run.mode != "idle" and run.trial.kind != "limit")
