"""One entry from its texts to its report: who is asked what, in order."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from validation.harness import plan
from validation.harness.arguments import gathered, with_gaps
from validation.harness.choice import affordable, alike, counted, doubtful
from validation.harness.crew import Crew
from validation.harness.entry import Entry
from validation.harness.judge import checks, evidence
from validation.harness.judge.evidence import Outcome, Wanted, raised
from validation.harness.judge.numbers import Unreadable
from validation.harness.nursery import Answer, Child, ChildEnded, DeadlinePassed, Forged
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.verdicts import ended_as, figures, verdict_of

MISREAD = (KeyError, TypeError, AttributeError, IndexError, ValueError, Unreadable)


class Stopped(Exception):
    """Nothing more can be learnt about the entry; the check says why."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.words)
        self.check = check


class Examination:
    """`alone`: in processes that serve no other entry."""

    def __init__(self, entry: Entry, crew: Crew, *, alone: bool) -> None:
        self.entry, self.crew, self.options, self.alone = entry, crew, crew.options, alone
        self.checks: list[Check] = []
        self.seconds: dict[str, float] = {}
        self.figures: dict[str, Any] = {}
        self.cache = secrets.token_hex(8)

    def report(self) -> Report:
        started = time.monotonic()
        try:
            self._examine()
        except Stopped as stopped:
            self.checks.append(stopped.check)
        self.seconds["total"] = time.monotonic() - started
        # What is said last of a check is why nothing more was learnt.
        made = tuple({check.name: check for check in self.checks}.values())
        verdict, message = verdict_of(made)
        return Report(
            id=self.entry.id,
            verdict=verdict,
            message=presentable(message),
            checks=presentable(made),
            seconds={name: round(value, 4) for name, value in self.seconds.items()},
            environment={**self.crew.environment(), "seed": self.options.seed},
            figures={**self.figures, **figures(made)},
        )

    def _wants(self, *names: str) -> bool:
        return any(name in self.options.checks for name in names)

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
        said = self._ask(author, "", "damage", {}).header
        with reading("falsifiable"):
            if self.options.device != "cuda" or not (said["control"] or said["skipped"]):
                return dict(said)
        # A test that is for GPUs only.
        texts = {"python_code": self.entry.python_code, "test_code": self.entry.test_code}
        order = {**texts, "entry_point": self.entry.entry_point, "device": "cuda", **self._gpu()}
        with self._candidate("author") as child:
            self._ask(child, "author", "cases", order)
            return dict(self._ask(child, "", "damage", {}).header)

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
        trials = plan.shown(cases, device)
        first = self._make(author, trials)
        with reading("accuracy"):
            if refused := [one for one in first.header["made"] if "error" in one]:
                words = f"make_inputs: {raised(refused[0]['error'])}"
                raise Stopped(Check("accuracy", Verdict.ERROR, words))
            gaps = with_gaps([one["arguments"] for one in first.header["made"]])
        self._repeats(author, trials, first)
        answers = [first]
        if self._wants("variations"):
            more = plan.varied(cases, fixed, gaps, device, seed)
            answers.append(self._make(author, more))
            trials = trials + more
        with reading("accuracy"):
            return gathered(trials, answers)

    def _make(self, author: Child, trials: list[plan.Trial]) -> Answer:
        wanted = [{"case": trial.case, "twist": trial.twist} for trial in trials]
        return self._ask(author, "", "inputs", {"wanted": wanted})

    def _repeats(self, author: Child, trials: list[plan.Trial], first: Answer) -> None:
        """The same case must give the same inputs, or nobody can say what was tested."""
        again = self._make(author, trials[:1])
        blobs = [bytes(blob) for blob in again.blobs]
        if blobs != [bytes(blob) for blob in first.blobs[: len(blobs)]]:
            words = "make_inputs gives other inputs for the same case"
            raise Stopped(Check("falsifiable", Verdict.FAILED, words))

    def _reference(
        self, trials: list[plan.Trial], arguments: dict[int, Any], blobs: list[memoryview]
    ) -> dict[int, Wanted]:
        order = self._order("python_code", "cpu", trials, arguments)
        with self.crew.reference() as child:
            answer = self._ask(child, "reference", "answers", order, blobs)
        with reading("accuracy"):
            if self.options.device == "cuda" and _refuses(answer, trials):
                answer = self._reference_on_gpu(trials, arguments, blobs)
            if "error" in answer.header:
                words = f"python_code: {raised(answer.header['error'])}"
                raise Stopped(Check("accuracy", Verdict.ERROR, words))
            wanted = evidence.wanted(answer.header, answer.blobs)
            for trial in trials:
                if trial.kind == "shown" and wanted[trial.number].native is None:
                    words = f"the reference raises on {trial.name}: {wanted[trial.number].refusal}"
                    raise Stopped(Check("accuracy", Verdict.ERROR, words))
            return wanted

    def _reference_on_gpu(
        self, trials: list[plan.Trial], arguments: dict[int, Any], blobs: list[memoryview]
    ) -> Answer:
        """Some operations exist there only."""
        order = self._order("python_code", "cuda", trials, arguments)
        with self._candidate("reference") as child:
            return self._ask(child, "reference", "answers", order, blobs)

    def _candidates(
        self, trials: list[plan.Trial], arguments: dict[int, Any], blobs: list[memoryview],
        wanted: dict[int, Wanted],
    ) -> None:  # fmt: skip
        tried = affordable(counted(trials, wanted), arguments, wanted, self.options.device)
        order = self._order("triton_code", self._device(), tried, arguments)
        notes: list[str] = []
        suite: dict[str, Any] | None = None
        with self._candidate("candidate") as child:
            answer = self._ask(child, "candidate", "answers", order, blobs)
            with reading("accuracy"):
                said = answer.header
                runs = self._read(answer, tried, wanted)
                unsure = doubtful(runs)
                child.spoiled = bool(said["patched"] or said["conduct"] or _any_wrong(runs))
            if unsure:
                again = self._ask(
                    child, "", "answers",
                    self._order("triton_code", self._device(), unsure, arguments), blobs,
                )  # fmt: skip
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
        return evidence.outcomes(answer.header, answer.blobs, trials, wanted)

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
            "accuracy": lambda: checks.accuracy(runs, wanted),
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

    def _order(
        self, text: str, device: str, trials: list[plan.Trial], arguments: dict[int, Any]
    ) -> dict[str, Any]:
        return {
            text: getattr(self.entry, text),
            "entry_point": self.entry.entry_point,
            "device": device,
            "gradients": self.entry.differentiable and self._wants("gradients"),
            "seed": self.options.seed,
            "trials": [
                {"number": t.number, "modes": list(t.modes), "arguments": arguments[t.number]}
                for t in trials
                if t.number in arguments
            ],
            **self._gpu(),
        }

    def _gpu(self) -> dict[str, Any]:
        """Named by nobody else: what one process compiled for this entry serves the next."""
        return {"gpu_memory": self.options.gpu_memory, "cache": self.cache}

    def _device(self) -> str:
        return "cuda" if self.options.device == "cuda" else "cpu"

    @contextmanager
    def _candidate(self, role: str) -> Iterator[Child]:
        with self.crew.candidate(role, self.entry.origin, alone=self.alone) as child:
            yield child

    def _ask(
        self, child: Child, begin: str, step: str, order: dict[str, Any],
        blobs: list[memoryview] | None = None,
    ) -> Answer:  # fmt: skip
        name = {"suite": "test", "damage": "falsifiable"}.get(step, begin or step)
        check = {"suite": "test", "damage": "falsifiable"}.get(step, "accuracy")
        who = {"author": "test_code", "reference": "python_code"}.get(begin, "")
        prefix = f"{who}: " if who else ""
        started = time.monotonic()
        try:
            answer = child.ask(begin, step, order, self.options.timeout, blobs or [])
        except DeadlinePassed:
            words = f"{prefix}not done after {self.options.timeout:g} s"
            raise Stopped(Check(check, Verdict.TIMEOUT, words)) from None
        except Forged as error:
            raise Stopped(Check("conduct", Verdict.CHEATING, f"{prefix}{error}")) from None
        except ChildEnded as ended:
            if ended.why == "parent":
                raise
            raise Stopped(ended_as(check, prefix, ended)) from None
        else:
            if words := _said_broken(answer):
                raise Stopped(Check(check, Verdict.CRASHED, f"{prefix}{words}"))
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - started
        return answer


def _said_broken(answer: Answer) -> str:
    header = answer.header
    return raised(header["broken"]) if isinstance(header, dict) and "broken" in header else ""


@contextmanager
def reading(check: str) -> Iterator[None]:
    """What can't be read was not written by our side."""
    try:
        yield
    except MISREAD as error:
        words = f"a result that can't be read: {type(error).__name__} {error}"
        raise Stopped(Check(check, Verdict.CHEATING, words)) from error


def _refuses(answer: Answer, trials: list[plan.Trial]) -> bool:
    if "error" in answer.header:
        return True
    shown = {trial.number for trial in trials if trial.kind == "shown"}
    return any(run["trial"] in shown and "error" in run["native"] for run in answer.header["runs"])


def _any_wrong(runs: list[Outcome]) -> bool:
    return any(not run.right for run in runs if run.mode != "idle" and run.trial.kind != "limit")
