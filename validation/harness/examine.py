"""One entry from its texts to its report: who is asked what, in order."""

import math
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from validation.harness import plan
from validation.harness.crew import Crew
from validation.harness.entry import Entry
from validation.harness.judge import checks, evidence
from validation.harness.judge.evidence import Outcome, Wanted, raised
from validation.harness.judge.numbers import Unreadable
from validation.harness.nursery import Answer, Child, ChildEnded, DeadlinePassed, Forged
from validation.harness.report import Check, Report, Verdict, presentable

# The first that any check gives is the entry's.
WORST_FIRST = (
    Verdict.CHEATING, Verdict.TIMEOUT, Verdict.CRASHED, Verdict.UNSUPPORTED, Verdict.FAILED,
    Verdict.ERROR, Verdict.VACUOUS,
)  # fmt: skip
MISREAD = (KeyError, TypeError, AttributeError, IndexError, ValueError, Unreadable)
SECOND_LOOKS = 3


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
            figures={**self.figures, **_figures(made)},
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
                    alike = _alike(trials)
                    self.checks.append(checks.falsifiable(said, wanted, shown, alike))

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
            gaps = _with_gaps([one["arguments"] for one in first.header["made"]])
        self._repeats(author, trials, first)
        answers = [first]
        if self._wants("variations"):
            more = plan.varied(cases, fixed, gaps, device, seed)
            answers.append(self._make(author, more))
            trials = trials + more
        with reading("accuracy"):
            return _gathered(trials, answers)

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
        counted = _affordable(_counted(trials, wanted), arguments, wanted, self.options.device)
        order = self._order("triton_code", self._device(), counted, arguments)
        notes: list[str] = []
        suite: dict[str, Any] | None = None
        with self._candidate("candidate") as child:
            answer = self._ask(child, "candidate", "answers", order, blobs)
            with reading("accuracy"):
                said = answer.header
                runs = self._read(answer, counted, wanted)
                doubtful = _doubtful(runs)
                child.spoiled = bool(said["patched"] or said["conduct"] or _any_wrong(runs))
            if doubtful:
                again = self._ask(
                    child, "", "answers",
                    self._order("triton_code", self._device(), doubtful, arguments), blobs,
                )  # fmt: skip
                with reading("accuracy"):
                    runs += self._read(again, doubtful, wanted)
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
            raise Stopped(_ended(check, prefix, ended)) from None
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


def _figures(made: Sequence[Check]) -> dict[str, Any]:
    """How close it came, over all inputs."""
    compared = [c.numbers for c in made if c.name in ("accuracy", "variations")]
    compared = [numbers for numbers in compared if numbers.get("cases")]
    if not compared:
        return {}
    worst = ("max_abs_error", "max_rel_error", "share_of_allowed")
    return {
        "cases": sum(numbers["cases"] for numbers in compared),
        **{name: presentable(max(numbers[name] for numbers in compared)) for name in worst},
    }


def verdict_of(made: Sequence[Check]) -> tuple[Verdict, str]:
    for verdict in WORST_FIRST:
        for check in made:
            if check.verdict is verdict:
                return verdict, check.words
    passed = sum(check.verdict is Verdict.PASSED for check in made)
    return Verdict.PASSED, f"{passed} checks pass"


def _ended(check: str, prefix: str, ended: ChildEnded) -> Check:
    if ended.why == "memory":
        return Check(check, Verdict.CRASHED, f"{prefix}used more memory than it may")
    if ended.why == "disk":
        return Check(check, Verdict.CRASHED, f"{prefix}wrote more files than it may")
    if ended.why == "threads":
        return Check(check, Verdict.CRASHED, f"{prefix}started more threads than it may")
    if ended.status is None:
        return Check(check, Verdict.CRASHED, f"{prefix}no process could be made: {ended.why}")
    if ended.status == 0:
        words = f"{prefix}ended its process as if all was well, before it answered"
        return Check("conduct", Verdict.CHEATING, words)
    if ended.status < 0:
        name = signal.Signals(-ended.status).name
        return Check(check, Verdict.CRASHED, f"{prefix}killed by {name}")
    return Check(check, Verdict.CRASHED, f"{prefix}ended its process with status {ended.status}")


def _refuses(answer: Answer, trials: list[plan.Trial]) -> bool:
    if "error" in answer.header:
        return True
    shown = {trial.number for trial in trials if trial.kind == "shown"}
    return any(run["trial"] in shown and "error" in run["native"] for run in answer.header["runs"])


def _counted(trials: list[plan.Trial], wanted: dict[int, Wanted]) -> list[plan.Trial]:
    """Those that the reference answers; of a group the first whose answer is finite."""
    kept, groups = [], set()
    shown = [trial.number for trial in trials if trial.kind == "shown"]
    for trial in trials:
        answer = wanted.get(trial.number)
        if answer is None or answer.native is None:
            continue
        if trial.kind == "values":
            if trial.group in groups or _overflows(answer):
                continue
            if trial.group:
                groups.add(trial.group)
        kept.append(trial)
    idle = {shown[-1], shown[len(shown) // 2]}
    return [
        replace(trial, modes=(*trial.modes, "idle")) if trial.number in idle else trial
        for trial in kept
    ]


def _affordable(
    trials: list[plan.Trial], arguments: dict[int, Any], wanted: dict[int, Wanted], device: str
) -> list[plan.Trial]:
    """Without varied cases that are larger than any shown one: the interpreter is slow."""

    def elements(trial: plan.Trial) -> int:
        native = wanted[trial.number].native
        outputs = [leaf.shape for leaf in native.tensors()] if native else []
        return sum(math.prod(shape) for shape in (*_shapes(arguments[trial.number]), *outputs))

    sizes = {trial.number: elements(trial) for trial in trials}
    shown = max(sizes[trial.number] for trial in trials if trial.kind == "shown")
    most = max(shown if device == "interpreter" else 4 * shown, plan.MOST[device])
    return [trial for trial in trials if trial.kind == "shown" or sizes[trial.number] <= most]


def _shapes(tree: Any) -> Iterator[list[int]]:
    if isinstance(tree, dict) and "storage" in tree:
        yield tree["shape"]
    elif isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _shapes(part)


def _overflows(answer: Wanted) -> bool:
    return any(
        not np.isfinite(values).all()
        for leaf in (answer.native.tensors() if answer.native else ())
        if (values := leaf.values()).dtype.kind in "fc"
    )


def _any_wrong(runs: list[Outcome]) -> bool:
    return any(not run.right for run in runs if run.mode != "idle" and run.trial.kind != "limit")


def _doubtful(runs: list[Outcome]) -> list[plan.Trial]:
    """Wrong where the launcher was blind: what is it where it sees, in either kind of memory?"""
    wrong = [run.trial for run in runs if not run.right and run.mode == "veiled"]
    return [replace(trial, modes=("sighted", "plain")) for trial in wrong[:SECOND_LOOKS]]


def _alike(trials: list[plan.Trial]) -> list[list[int]]:
    """Trials whose cases differ in their seed, or whose values were shuffled, only."""
    groups: dict[str, list[int]] = {}
    for trial in trials:
        if trial.kind in ("shown", "seed"):
            key = str(sorted((k, str(v)) for k, v in trial.case.items() if k != "seed"))
            groups.setdefault(key, []).append(trial.number)
    return [numbers for numbers in groups.values() if len(numbers) > 1]


def _with_gaps(trees: list[Any]) -> list[int]:
    """The arguments that some case shows with gaps between their elements."""
    found = set()
    for tree in trees:
        for place, part in enumerate(tree["tuple"]):
            if isinstance(part, dict) and "storage" in part:
                size = 1
                for length in part["shape"]:
                    size *= length
                span = 1 + sum(
                    (length - 1) * step
                    for length, step in zip(part["shape"], part["stride"], strict=True)
                )
                if span > size > 0:
                    found.add(place)
    return sorted(found)


def _gathered(
    trials: list[plan.Trial], answers: list[Answer]
) -> tuple[list[plan.Trial], dict[int, Any], list[memoryview]]:
    """One list of blobs for all; trials that make_inputs refuses are left out."""
    blobs: list[memoryview] = []
    arguments: dict[int, Any] = {}
    place = 0
    for answer in answers:
        for one in answer.header["made"]:
            if "error" not in one:
                arguments[trials[place].number] = _moved(one["arguments"], len(blobs))
            place += 1
        blobs += answer.blobs
    return [trial for trial in trials if trial.number in arguments], arguments, blobs


def _moved(tree: Any, by: int) -> Any:
    if isinstance(tree, dict):
        if "storage" in tree:
            return {**tree, "storage": tree["storage"] + by}
        return {name: _moved(part, by) for name, part in tree.items()}
    if isinstance(tree, list):
        return [_moved(part, by) for part in tree]
    return tree
