"""Read the answers of an entry's processes as hostile input, and compare them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from validation.harness.judge.answers import Value, compare_answers, state_differs, value
from validation.harness.judge.compare import Comparison, Grade, worst_grade
from validation.harness.judge.numbers import Unreadable
from validation.harness.judge.practical import PracticalBound
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.trial_plan import DECISIVE, Trial
from validation.harness.sandbox.hostile_json import raised

# Factor on the error bounds for inputs with values or sizes that occur in no case of the entry.
BEYOND_SHOWN = 2.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The reference's answers to a trial.

    native, precise: at the type of the inputs, and in float64.
    shaken, rounded: in float64, with changed last bits of the inputs, or of each result.
    refusal: message of the exception that the reference raised.
    mutated: storages of the inputs that it changes.
    written: inputs that it writes to, by position among the tensors.
    state: the arguments after the call, without the content of tensors.
    undefined: accept any answer where the reference returns NaN, because no shown case has NaN.
    """

    native: Value | None
    precise: Value | None = None
    shaken: Value | None = None
    rounded: Value | None = None
    refusal: str = ""
    mutated: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    state: Any = None
    undefined: bool = False


@dataclass(frozen=True, slots=True)
class JudgedReplay:
    """One judged replay of one trial. `details`: further values that the replayer reports."""

    trial: Trial
    mode: str
    right: bool
    words: str
    worst: Comparison
    value: Value | None
    raised: dict[str, Any] | None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def strays(self) -> list[str]:
        """Descriptions of the out-of-bounds accesses that the process detected."""
        return [str(words)[:200] for words in self.details.get("trespass", ())]

    def count(self, what: str) -> dict[str, int]:
        """Return a counter that the process reported, or an empty one."""
        tally = self.details.get(what)
        return {str(k): int(v) for k, v in tally.items()} if isinstance(tally, dict) else {}


def wanted(header: Any, blobs: list[memoryview]) -> dict[int, Wanted]:
    """Return the reference's answers by trial number, parsed as hostile input."""
    answers = {}
    for run in header["runs"]:
        native = run["native"]
        if "error" in native:
            answers[int(run["trial"])] = Wanted(None, refusal=raised(native["error"]))
            continue
        answers[int(run["trial"])] = Wanted(
            value(native, blobs),
            _at(run, "precise", blobs),
            _at(run, "shaken", blobs),
            mutated=tuple(int(storage) for storage in native["mutated"]),
            written=tuple(int(place) for place in native["places"]),
            state=native["state"],
        )
    return answers


def with_rounding(
    wanted: dict[int, Wanted], header: Any, blobs: list[memoryview]
) -> dict[int, Wanted]:
    """Return the answers with the effect of rounding added for the trials that were run again."""
    more = dict(wanted)
    for run in header["runs"]:
        number = int(run["trial"])
        more[number] = replace(wanted[number], rounded=_at(run, "rounded", blobs))
    return more


def _at(run: Any, width: str, blobs: list[memoryview]) -> Value | None:
    return value(run[width], blobs) if "value" in run.get(width, {}) else None


def outcomes(
    header: Any, blobs: list[memoryview], inputs: Inputs, wanted: dict[int, Wanted],
    bound: PracticalBound, most: int | None = None,
) -> list[JudgedReplay]:  # fmt: skip
    """Judge each replay. A run that accesses memory out of bounds counts as wrong.

    most: number of elements of each answer to compare, chosen at random; None for all.
    """
    by_number = {trial.number: trial for trial in inputs.trials}
    made: list[JudgedReplay] = []
    for run in header["runs"]:
        trial = by_number[run["trial"]]
        expected = wanted.get(trial.number)
        # Ignore a run in an order in which a program waits for a later program.
        if expected is None or expected.native is None or run.get("waits"):
            continue
        case_type = str(trial.case.get("dtype", "")) or inputs.half_type(trial.number)
        compare = partial(
            compare_answers, native=expected.native,
            others=(expected.precise, expected.shaken, expected.rounded),
            bound=replace(bound, case_type=case_type),
            inputs=inputs.elements(trial.number),
            any_for_nan=trial.brings_infinity or expected.undefined,
            slack=1.0 if trial.kind in DECISIVE else BEYOND_SHOWN, most=most,
        )  # fmt: skip
        earlier = [one for one in made if one.trial is trial]
        outcome = _outcome(trial, run, blobs, compare, earlier)
        # A timed run reports no state.
        words = state_differs(run["state"], expected.state) if "state" in run else ""
        if outcome.right and words:
            outcome = replace(outcome, right=False, words=words, worst=Comparison(words))
        made.append(outcome)
    return [
        replace(run, right=False, words=run.strays[0]) if run.right and run.strays else run
        for run in made
    ]


def _outcome(
    trial: Trial, run: dict[str, Any], blobs: list[memoryview],
    compare: Callable[[Value], list[tuple[str, Comparison]]], earlier: list[JudgedReplay]
) -> JudgedReplay:  # fmt: skip
    mode = str(run["mode"])
    details = {key: run[key] for key in run if key != "answer"}

    def wrong(words: str, error: Any = None) -> JudgedReplay:
        return JudgedReplay(trial, mode, False, words, Comparison(words), None, error, details)

    if "error" in run:
        return wrong(f"raised {raised(run['error'])}", run["error"])
    try:
        answer = value(run["answer"], blobs)
    except Unreadable as error:
        return wrong(str(error))
    for before in earlier:
        # Most replays return the same bits as the first, so compare them once.
        if before.value == answer:
            return replace(before, mode=mode, details=details)
    comparisons = compare(answer) or [("", Comparison(""))]
    failing = [(name, comparison) for name, comparison in comparisons if comparison.wrong]
    name, worst = max(failing or comparisons, key=lambda pair: pair[1].share)
    if failing:
        return JudgedReplay(
            trial, mode, False, f"{name}: {worst.wrong}", worst, answer, None, details
        )
    own_errors = [one.own_error for _, one in comparisons if one.own_error is not None]
    worst = replace(
        worst, grade=worst_grade(comparison.grade for _, comparison in comparisons) or Grade.EXACT,
        own_error=max(own_errors, default=None),
    )  # fmt: skip
    return JudgedReplay(trial, mode, True, "", worst, answer, None, details)
