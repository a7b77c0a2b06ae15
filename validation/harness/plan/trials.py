"""Inputs of an entry's trials: its own cases and variants of them."""

from dataclasses import dataclass, field, replace

from validation.harness.judge.practical import tolerances
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan import trial_plan as plan
from validation.harness.plan.arguments import Inputs, with_gaps
from validation.harness.plan.choice import select_telling
from validation.harness.plan.input_limits import TRIVIAL, TooLarge, nothing_fits, only_trivial
from validation.harness.pool.children import Child
from validation.harness.report import Check, Verdict
from validation.harness.sandbox.hostile_json import raised
from validation.harness.session.entry_session import Session, Stopped


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of test_code."""

    cases: list[plan.Case]
    perf_cases: list[plan.Case]
    fixed: list[str]
    sizes: plan.Sizes
    tolerance: dict[str, tuple[float, float]]


def load_constants(session: Session, author: Child, *, on_gpu: bool = False) -> Constants:
    """Have the author's process import test_code, and return its constants."""
    device = session.device if on_gpu else "cpu"
    order = session.order("python_code", "test_code", device=device)
    header = session.ask(author, "author", "cases", order).header
    if "error" in header:
        raise Stopped(Check("accuracy", Verdict.ERROR, f"test_code: {raised(header['error'])}"))
    constants = Constants(
        [dict(case) for case in header["cases"]],
        [dict(case) for case in header["perf_cases"]],
        [str(name) for name in header["fixed"]],
        plan.sizes(header["sizes"]),
        tolerances(header["tolerance"]),
    )
    if not constants.cases:
        raise Stopped(Check("falsifiable", Verdict.VACUOUS, "CASES is empty"))
    return constants


@dataclass(slots=True)
class TrialInputs:
    """Inputs of the trials, and the cases whose inputs are too large.

    sizes_untried: why no trial has other shapes than the shown ones, or an empty text.
    """

    inputs: Inputs
    too_large: list[TooLarge] = field(default_factory=list)
    sizes_untried: str = ""

    def without_refused(self, wanted: dict[int, Wanted], session: Session) -> "TrialInputs":
        """Return the inputs without reduced cases that the reference refuses. Raise Stopped if only
        trivial cases are left."""
        refused = [
            trial
            for trial in self.inputs.trials
            if trial.stands_in and wanted[trial.number].native is None
        ]
        too_large = [
            replace(case, instead=None)
            if any(trial.name.startswith(f"{case.name},") for trial in refused)
            else case
            for case in self.too_large
        ]
        inputs = self.inputs.of_trials([one for one in self.inputs.trials if one not in refused])
        shown = [trial for trial in inputs.trials if trial.kind == "shown"]
        if not shown:
            words = nothing_fits(too_large, session.limits)
            raise Stopped(Check("accuracy", Verdict.UNSUPPORTED, words))
        largest = max(inputs.elements(trial.number) for trial in shown)
        if too_large and largest < TRIVIAL:
            words = only_trivial(too_large, largest)
            raise Stopped(Check("accuracy", Verdict.VACUOUS, words))
        return TrialInputs(inputs, too_large, self.sizes_untried)


def make_trials(session: Session, author: Child, constants: Constants) -> TrialInputs:
    """Return the inputs of the shown cases and, if check 3 runs, of their variants."""
    device, room = session.options.device, session.limits
    trials = plan.shown(constants.cases, device)
    inputs, made = session.make(author, trials, room.altogether // 2)
    if refused := [answer for answer in made if "error" in answer]:
        words = f"make_inputs: {raised(refused[0]['error'])}"
        raise Stopped(Check("accuracy", Verdict.ERROR, words))
    taken = {trial.number: int(answer["bytes"]) for trial, answer in zip(trials, made, strict=True)}
    large = [trial for trial in trials if trial.number not in inputs.arguments]
    tried = TrialInputs(inputs)
    parts = [inputs]
    for trial in large:
        case = TooLarge(trial.name, trial.case, taken[trial.number])
        if (smaller := _stand_in(session, author, trial, constants)) is not None:
            part, taken[trial.number] = smaller
            parts.append(part)
            case = replace(case, instead=part.trials[0].case)
        tried.too_large.append(case)
    shown = Inputs.together(parts)
    if not shown.trials:
        words = nothing_fits(tried.too_large, room)
        raise Stopped(Check("accuracy", Verdict.UNSUPPORTED, words))
    _check_repeats(session, author, min(shown.trials, key=lambda trial: taken[trial.number]), shown)
    if session.wants("variations"):
        bases = plan.light(
            [(trial.case, taken[trial.number]) for trial in shown.trials], room.light
        )
        gaps = with_gaps(shown.arguments.values())
        common = _common_properties(session, author, [trial.case for trial in shown.trials])
        more = plan.varied(
            bases, constants.fixed, gaps, device, session.options.seed, len(constants.cases),
            common, constants.sizes,
        )  # fmt: skip
        if session.entry.differentiable:
            # The trial with expanded gradients uses a case of medium size too.
            name, variant = "expanded gradients", plan.EXPANDED_GRADIENTS
            last = replace(more[-1], name=name, kind="layout", variant=variant)
            more.append(replace(last, number=last.number + 1))
        left = room.altogether - sum(taken[trial.number] for trial in shown.trials)
        varied = select_telling(session.make(author, more, left)[0], shown, constants.sizes)
        tried.sizes_untried = _sizes_untried(varied.trials, constants)
        parts.append(varied)
    tried.inputs = Inputs.together(parts)
    return tried


def _sizes_untried(varied: list[plan.Trial], constants: Constants) -> str:
    if any(trial.unseen for trial in varied):
        return ""
    if not any(plan.size_keys(case, ()) for case in constants.cases):
        return "no case holds a size as a whole number"
    if not any(plan.size_keys(case, constants.fixed) for case in constants.cases):
        return "no size may vary: FIXED names every size"
    if any(trial.kind == "size" for trial in varied):
        return "for other sizes make_inputs gives the shown shapes, or whole blocks"
    return "make_inputs gives no inputs of other sizes"


def _stand_in(
    session: Session, author: Child, trial: plan.Trial, constants: Constants
) -> tuple[Inputs, int] | None:
    """Return the largest inputs within the limits for reduced sizes of a case, and their bytes."""
    for case in plan.smaller(trial.case, constants.fixed, constants.sizes):
        smaller = replace(trial, name=f"{trial.name}, made smaller", case=case, stands_in=True)
        inputs, (made,) = session.make(author, [smaller], session.limits.light)
        if inputs.trials:
            return inputs, int(made["bytes"])
        if "bytes" not in made:
            return None
    return None


def _common_properties(
    session: Session, author: Child, cases: list[plan.Case]
) -> list[plan.Property]:
    """Return properties that the inputs of all shown cases share, such as a single sign."""
    header = session.ask(author, "author", "properties", {"cases": cases}).header
    return [
        {"argument": int(one["argument"]), "property": str(one["property"])[:40]}
        for one in header.get("properties", ())
    ]


def _check_repeats(session: Session, author: Child, trial: plan.Trial, shown: Inputs) -> None:
    """Raise Stopped if a repeated case gives other inputs, as tests must be reproducible."""
    again, _ = session.make(author, [trial], session.limits.altogether)
    if again.content(trial.number) != shown.content(trial.number):
        words = "make_inputs gives other inputs for the same case"
        raise Stopped(Check("falsifiable", Verdict.FAILED, words))


def fresh_values(trial: plan.Trial, number: int, seed: int) -> plan.Trial:
    """Return the trial with other values, by another seed of the case or by a shuffle."""
    if type(trial.case.get("seed")) is int:
        return replace(trial, number=number, case={**trial.case, "seed": seed})
    return replace(trial, number=number, variant={"kind": "shuffled", "seed": seed})
