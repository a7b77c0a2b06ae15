"""Timing of an entry that passed: its program, its reference, and its reference compiled, each in
a process of its own, on values that they have not seen; one after the other, alone on the GPU.
"""

import secrets
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from validation.harness.arguments import elements, gathered
from validation.harness.children import Child, ChildEnded
from validation.harness.entry import Entry
from validation.harness.examine import Examination
from validation.harness.judge import evidence
from validation.harness.judge.evidence import raised
from validation.harness.judge.leeway import Leeway, declared, tolerances
from validation.harness.judge.numbers import Numbers, Unreadable, width
from validation.harness.judge.roofline import Gpu, Times, Timing, Work, judged, times
from validation.harness.plan import Trial
from validation.harness.recordings import Recordings, with_constants
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.step_runner import Stopped, reading
from validation.harness.verdicts import verdict_of
from validation.harness.worker_pool import WorkerPool

# Runs that are timed, fewer where inputs are so large that more would not fit into MOST bytes.
RUNS, RUNS_LEAST, MOST = 20, 5, 512 << 20
# Inputs to warm up with: two, since what differs in a number is compiled once more.
WARMING = 2
# Answers that are judged: the last, and others chosen at random afterwards.
LOOKED_AT = 4
WHAT = {"triton_code": "the entry", "python_code": "the reference"}


def timed(entry: Entry, report: Report, pool: WorkerPool) -> Report:
    """Return the report of an entry that passed, with its times."""
    # Gradients are not timed.
    examination = Measurement(replace(entry, differentiable=False), pool, alone=True)
    try:
        check = examination.check()
    except Stopped as stopped:
        check = _not_timed(stopped.check)
        if stopped.check.verdict in (Verdict.CRASHED, Verdict.TIMEOUT):
            with pool.lock.held(exclusive=False):
                pool.check_health()
    except ChildEnded:
        check = Check("timing", None, "not timed: the fork server died")
    checks = (*report.checks, presentable(check))
    verdict, message = verdict_of(checks)
    seconds = sum(examination.seconds.values())
    figures = presentable({**report.figures, **examination.figures})
    return replace(
        report, verdict=verdict, message=message, checks=checks, figures=figures,
        seconds={**report.seconds, "timing": round(seconds, 4)},
    )  # fmt: skip


def _not_timed(check: Check) -> Check:
    """Return a check that was not made: being slow or large is no fault of an entry that passed."""
    if check.verdict is Verdict.FAILED:
        return replace(check, name="timing")
    return Check("timing", None, f"not timed: {check.words}")


class Measurement(Examination):
    def check(self) -> Check:
        with ExitStack() as stack:
            with self.pool.lock.held(exclusive=False):
                trials, arguments, blobs = self._fresh()
                sets = [
                    {"number": trial.number, "arguments": arguments[trial.number]}
                    for trial in trials
                ]

                def prepared(*, compiled: bool = False) -> tuple[Child, int]:
                    child = stack.enter_context(self._candidate("timing"))
                    reference = {
                        "python_code": self.entry.python_code, "compiled": compiled,
                        "count": not compiled, "sets": sets,
                    }  # fmt: skip
                    return child, self._prepare(child, reference, blobs)

                recordings = self._recordings(trials, arguments, blobs)
                mine = stack.enter_context(self._candidate("timing"))
                programs, held = with_constants(recordings.every, blobs, set(range(len(blobs))))
                places = {id(one): place for place, one in enumerate(recordings.every)}
                played = [
                    {**one, "program": places[id(recordings.of[one["number"]]["first"])]}
                    for one in sets
                ]
                text = {"triton_code": self.entry.triton_code, "programs": programs}
                self._prepare(mine, {**text, "sets": played}, held)
                eager, flops = prepared()
                try:
                    compiled = prepared(compiled=True)[0]
                except Stopped as stopped:
                    compiled = None
                    self.figures["not_compiled"] = stopped.check.words
            with self.pool.lock.held(exclusive=True):
                runs = len(trials) - WARMING
                candidate = self._measure(mine, runs, keep=True)
                reference = self._measure(eager, runs)
                inductor = self._measure(compiled, runs) if compiled else None
            last, *others = reversed(trials[WARMING:])
            some = [last, *secrets.SystemRandom().sample(others, LOOKED_AT - 1)]
            written = self._right(mine, some, arguments, blobs)
        return self._said(candidate, reference, inductor, _work(arguments, trials, written, flops))

    def _fresh(self) -> tuple[list[Trial], dict[int, Any], list[memoryview]]:
        """The largest case that is shown, with as many values as there will be runs."""
        with self.pool.reference() as author:
            texts = {"python_code": self.entry.python_code, "test_code": self.entry.test_code}
            order = {**texts, "entry_point": self.entry.entry_point}
            said = self._ask(author, "author", "cases", order).header
            with reading("timing"):
                cases = [dict(case) for case in said["cases"]]
                self.tolerance = tolerances(said["tolerance"])
            shown = [Trial(n, f"case {n}", "shown", case) for n, case in enumerate(cases)]
            with reading("timing"):
                _, made, _ = gathered([self._make(author, shown, self.limits.altogether)])
                sizes = {number: size(tree) for number, tree in made.items()}
            fitting = [n for n, bytes_ in sizes.items() if bytes_ * (RUNS_LEAST + WARMING) <= MOST]
            if not fitting:
                raise Stopped(Check("timing", None, "its inputs are too large to have many of"))
            largest = max(fitting, key=lambda number: sizes[number])
            count = min(RUNS + WARMING, MOST // max(1, sizes[largest]))
            self.figures["timed_case"] = cases[largest]
            trials = [_other(shown[largest], number) for number in range(count)]
            with reading("timing"):
                asked = self._make(author, trials, self.limits.altogether)
                trials, arguments, blobs = gathered([asked])
            forms = {number: form(tree) for number, tree in arguments.items()}
        # Some that make_inputs refuses are missing, perhaps all.
        first = next(iter(forms.values()), None)
        alike = [trial for trial in trials if forms[trial.number] == first]
        if len(alike) < RUNS_LEAST + WARMING:
            words = "its inputs can't be made with other values, or change their shapes with them"
            raise Stopped(Check("timing", None, words))
        return alike, arguments, blobs

    def _recordings(
        self, trials: list[Trial], arguments: dict[int, Any], blobs: list[memoryview]
    ) -> Recordings:
        order = self._order("triton_code", self._device(), [], arguments)
        # Only here does the autotuner choose a configuration by time.
        recordings = Recordings(self, trials, arguments, blobs, {**order, "tune": True})
        for recorded in recordings.every:
            if recorded.raised is not None:
                words = f"{WHAT['triton_code']}: {raised(recorded.raised)}"
                raise Stopped(Check("timing", None, words))
        return recordings

    def _prepare(self, child: Child, what: dict[str, Any], blobs: list[memoryview]) -> int:
        module = "triton_code" if "triton_code" in what else "python_code"
        order = {
            **what,
            "entry_point": self.entry.entry_point,
            "device": self._device(),
            "seed": self.options.seed,
            "warming": WARMING,
            "gpu_memory": self.options.gpu_memory,
        }
        try:
            said = self._ask(child, "timing", "prepare", order, blobs).header
        except Stopped as stopped:
            words = f"{WHAT[module]}: {stopped.check.words}"
            raise Stopped(replace(stopped.check, words=words)) from None
        with reading("timing"):
            if "error" in said:
                raise Stopped(Check("timing", None, f"{WHAT[module]}: {raised(said['error'])}"))
            return max(0, int(said["flops"]))

    def _measure(self, child: Child, runs: int, *, keep: bool = False) -> Times:
        said = self._ask(child, "", "measure", {"keep": keep}).header
        with reading("timing"):
            if "error" in said:
                raise Stopped(Check("timing", None, raised(said["error"])))
            return times(said["took"], runs)

    def _right(
        self, child: Child, trials: list[Trial], arguments: dict[int, Any], blobs: list[memoryview]
    ) -> int:
        """Return how many bytes an answer has, or raise Stopped if one is wrong."""
        order = {"numbers": [trial.number for trial in trials]}
        said = self._ask(child, "", "hand_over", order)
        with self.pool.lock.held(exclusive=False):
            wanted = self._reference(trials, arguments, blobs)
        if any(answer.written for answer in wanted.values()):
            words = "it writes into its arguments, so each run would have other inputs"
            raise Stopped(Check("timing", None, words))
        with reading("timing"):
            leeway = Leeway(declared(self.entry.triton_code), self.tolerance)
            sizes = {number: elements(tree) for number, tree in arguments.items()}
            runs = evidence.outcomes(said.header, said.blobs, trials, wanted, leeway, sizes)
            if {run.trial.number for run in runs} != {trial.number for trial in trials}:
                raise Unreadable("other answers than were asked for")
            wrong = [run for run in runs if not run.right]
            if wrong:
                words = f"wrong while it is timed: {wrong[0].words}"
                raise Stopped(Check("timing", Verdict.FAILED, words))
            return max(sum(map(_bytes, run.value.tensors())) for run in runs if run.value)

    def _said(self, candidate: Times, eager: Times, compiled: Times | None, work: Work) -> Check:
        found: Timing = judged(candidate, eager, compiled, work, Gpu.of(self.pool.environment()))
        self.figures["timing"] = found.figures()
        if found.speedup is not None:
            self.figures["speedup"] = found.speedup
        verdict = None if found.impossible else Verdict.PASSED
        return Check("timing", verdict, found.words)


def _other(trial: Trial, number: int) -> Trial:
    """Return the same case with unpredictable values."""
    seed = secrets.randbelow(1 << 31)
    if type(trial.case.get("seed")) is int:
        return replace(trial, number=number, case={**trial.case, "seed": seed})
    return replace(trial, number=number, twist={"kind": "shuffled", "seed": seed})


def size(tree: Any) -> int:
    """Return the bytes of the elements that a tree of arguments reaches; a view counts once
    more."""
    return sum(_reached(leaf) for leaf in _leaves(tree))


def form(tree: Any) -> Any:
    """Return the shapes and types of all that a tree holds, without its content."""
    if isinstance(tree, dict) and "storage" in tree:
        return {key: part for key, part in tree.items() if key != "storage"}
    if isinstance(tree, dict):
        return {key: form(part) for key, part in tree.items()}
    return [form(part) for part in tree] if isinstance(tree, list) else type(tree).__name__


def _work(arguments: dict[int, Any], trials: list[Trial], written: int, flops: int) -> Work:
    tree = arguments[trials[0].number]
    narrowest = min((width(leaf["dtype"]) for leaf in _leaves(tree)), default=4)
    return Work(size(tree), written, flops, narrowest)


def _reached(leaf: dict[str, Any]) -> int:
    count = width(leaf["dtype"])
    for length, step in zip(leaf["shape"], leaf["stride"], strict=True):
        # What is expanded is read once.
        count *= length if step else min(length, 1)
    return count


def _leaves(tree: Any) -> list[dict[str, Any]]:
    if isinstance(tree, dict) and "storage" in tree:
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [leaf for part in parts for leaf in _leaves(part)]


def _bytes(leaf: Numbers) -> int:
    return len(leaf.raw)
