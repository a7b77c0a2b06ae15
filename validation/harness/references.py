"""Questions to the reference: its answers, and how exact an answer can be."""

from dataclasses import replace
from typing import Any

from validation.harness import plan
from validation.harness.arguments import batches, elements
from validation.harness.children import Answer, Child
from validation.harness.entry import Entry
from validation.harness.input_limits import TRIVIAL, TooLarge, nothing_fits, only_trivial
from validation.harness.judge import evidence
from validation.harness.judge.evidence import Wanted, raised
from validation.harness.report import Check, Verdict
from validation.harness.step_runner import StepRunner, Stopped, reading
from validation.harness.worker_pool import WorkerPool


class Referring(StepRunner):
    """`referred`: where the reference answered, on the CPU if it can."""

    def __init__(self, entry: Entry, pool: WorkerPool, *, alone: bool) -> None:
        super().__init__(entry, pool, alone=alone)
        self.too_large: list[TooLarge] = []
        self.referred = "cpu"

    def _reference(
        self, trials: list[plan.Trial], arguments: dict[int, Any], blobs: list[memoryview]
    ) -> dict[int, Wanted]:
        with self.pool.reference() as child:
            answers = self._answered(child, "reference", "cpu", trials, arguments, blobs)
        with reading("accuracy"):
            if self.options.device == "cuda" and _refuses(answers, trials):
                # Some operations exist there only.
                self.referred = "cuda"
                with self._candidate("reference") as child:
                    answers = self._answered(child, "reference", "cuda", trials, arguments, blobs)
            if "error" in answers[-1].header:
                words = f"python_code: {raised(answers[-1].header['error'])}"
                raise Stopped(Check("accuracy", Verdict.ERROR, words))
            wanted: dict[int, Wanted] = {}
            for answer in answers:
                wanted |= evidence.wanted(answer.header, answer.blobs)
            self._give_up_stand_ins(trials, arguments, wanted)
            for trial in trials:
                if trial.kind == "shown" and wanted[trial.number].native is None:
                    words = f"the reference raises on {trial.name}: {wanted[trial.number].refusal}"
                    raise Stopped(Check("accuracy", Verdict.ERROR, words))
            return wanted

    def _answered(
        self, child: Child, role: str, device: str, trials: list[plan.Trial],
        arguments: dict[int, Any], blobs: list[memoryview], **more: Any,
    ) -> list[Answer]:  # fmt: skip
        """Ask a child that begins with this, batch by batch, so that large inputs have room."""
        text = {"reference": "python_code"}[role]
        answers: list[Answer] = []
        for some, held in batches(trials, arguments, blobs, self.limits.at_once):
            order = self._order(text, device, some, arguments) | more
            begin = "" if answers else role
            answers.append(self._ask(child, begin, "answers", order, held, role=role))
            if "error" in answers[-1].header:
                break
        return answers

    def _give_up_stand_ins(
        self, trials: list[plan.Trial], arguments: dict[int, Any], wanted: dict[int, Wanted]
    ) -> None:
        """Smaller sizes that the reference refuses stand for nothing."""
        for trial in [trial for trial in trials if trial.stands_in]:
            if wanted[trial.number].native is None:
                trials.remove(trial)
                self.too_large = [
                    replace(one, instead=None) if trial.name.startswith(f"{one.name},") else one
                    for one in self.too_large
                ]
        shown = [trial for trial in trials if trial.kind == "shown"]
        if not shown:
            words = nothing_fits(self.too_large, self.limits)
            raise Stopped(Check("accuracy", Verdict.UNSUPPORTED, words))
        largest = max(elements(arguments[trial.number]) for trial in shown)
        if self.too_large and largest < TRIVIAL:
            words = only_trivial(self.too_large, largest)
            raise Stopped(Check("accuracy", Verdict.VACUOUS, words))

    def _with_rounding(
        self, wanted: dict[int, Wanted], trials: list[plan.Trial], arguments: dict[int, Any],
        blobs: list[memoryview],
    ) -> dict[int, Wanted]:  # fmt: skip
        """Return the same with the effect of rounding on these trials, if it is known in time."""
        of_cpu = self.referred == "cpu"
        try:
            with self.pool.reference() if of_cpu else self._candidate("reference") as child:
                answers = self._answered(
                    child, "reference", self.referred, trials, arguments, blobs, widths=["rounded"]
                )
        except Stopped:
            return wanted
        with reading("accuracy"):
            for answer in answers:
                wanted = evidence.with_rounding(wanted, answer.header, answer.blobs)
        return wanted

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


def _refuses(answers: list[Answer], trials: list[plan.Trial]) -> bool:
    if "error" in answers[-1].header:
        return True
    shown = {trial.number for trial in trials if trial.kind == "shown"}
    runs = [run for answer in answers for run in answer.header["runs"]]
    return any(run["trial"] in shown and "error" in run["native"] for run in runs)
