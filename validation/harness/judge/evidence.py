"""What the processes said about an entry, read with suspicion and put side by side."""

from dataclasses import dataclass, field, replace
from typing import Any

from validation.harness.judge.answers import Value, compared, value
from validation.harness.judge.compare import Comparison
from validation.harness.judge.numbers import Unreadable
from validation.harness.plan import Trial


@dataclass(frozen=True, slots=True)
class Wanted:
    """The reference's answers to a trial; `refusal` where it raised."""

    native: Value | None
    precise: Value | None = None
    shaken: Value | None = None
    rounded: Value | None = None
    refusal: str = ""
    mutated: tuple[int, ...] = ()

    @property
    def others(self) -> tuple[Value | None, ...]:
        return self.precise, self.shaken, self.rounded


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of the candidate on one trial, judged."""

    trial: Trial
    mode: str
    right: bool
    words: str
    worst: Comparison
    value: Value | None
    raised: dict[str, Any] | None
    said: dict[str, Any] = field(default_factory=dict)
    otherwise: str = ""
    """Of a right one: what it answers where the reference answers nothing finite."""

    def count(self, what: str) -> dict[str, int]:
        """A tally of the run's, if it is one."""
        tally = self.said.get(what)
        return {str(k): int(v) for k, v in tally.items()} if isinstance(tally, dict) else {}


def wanted(said: Any, blobs: list[memoryview]) -> dict[int, Wanted]:
    """By the trial's number. The reference is judged no less warily than the candidate."""
    answers = {}
    for run in said["runs"]:
        native = run["native"]
        if "error" in native:
            answers[int(run["trial"])] = Wanted(None, refusal=raised(native["error"]))
            continue
        precise, shaken = (_at(run, width, blobs) for width in ("precise", "shaken"))
        answers[int(run["trial"])] = Wanted(
            value(native, blobs),
            precise,
            shaken,
            mutated=tuple(one["storage"] for one in native["mutated"]),
        )
    return answers


def with_rounding(
    wanted: dict[int, Wanted], said: Any, blobs: list[memoryview]
) -> dict[int, Wanted]:
    """The same, with what rounding does to the trials that were asked again."""
    asked = {int(run["trial"]): _at(run, "rounded", blobs) for run in said["runs"]}
    return wanted | {
        number: replace(wanted[number], rounded=answer) for number, answer in asked.items()
    }


def _at(run: Any, width: str, blobs: list[memoryview]) -> Value | None:
    return value(run[width], blobs) if "value" in run.get(width, {}) else None


def outcomes(
    said: Any, blobs: list[memoryview], trials: list[Trial], wanted: dict[int, Wanted],
    *, lenient: bool = False,
) -> list[Outcome]:  # fmt: skip
    """`lenient`: in trials with a NaN or an infinity, which no case shows, an answer must be
    right only where the reference's is finite."""
    by_number = {trial.number: trial for trial in trials}
    made: list[Outcome] = []
    for run in said["runs"]:
        trial = by_number[run["trial"]]
        expected = wanted.get(trial.number)
        if expected is None or expected.native is None:
            continue
        loose = lenient and trial.kind == "special"
        earlier = [one for one in made if one.trial is trial]
        made.append(_outcome(trial, run, blobs, expected, expected.native, loose, earlier))
    return made


def _outcome(
    trial: Trial,
    run: dict[str, Any],
    blobs: list[memoryview],
    wanted: Wanted,
    native: Value,
    loose: bool,
    earlier: list[Outcome],
) -> Outcome:
    mode = str(run["mode"])
    said = {key: run[key] for key in run if key not in ("answer",)}
    if "error" in run:
        words = f"raised {raised(run['error'])}"
        return Outcome(trial, mode, False, words, Comparison(words), None, run["error"], said)
    try:
        found = value(run["answer"], blobs)
    except Unreadable as error:
        return Outcome(trial, mode, False, str(error), Comparison(str(error)), None, None, said)
    for before in earlier:
        # The same bits are as right as they were: most runs answer what the first did.
        if before.value == found:
            return replace(before, mode=mode, said=said)
    comparisons = compared(
        found,
        native,
        wanted.others,
        infinite_inputs=trial.brings_infinity,
    )
    wrong = [(name, one) for name, one in comparisons if one.wrong]
    name, worst = max(
        wrong or comparisons or [("", Comparison(""))], key=lambda pair: pair[1].share
    )
    words = f"{name}: {worst.wrong}" if worst.wrong else ""
    if wrong and loose:
        again = compared(found, native, wanted.others, only_finite=True)
        if not any(one.wrong for _, one in again):
            worst = max((one for _, one in again), key=lambda one: one.share)
            note = f"{trial.name}, {words}"
            return Outcome(trial, mode, True, "", worst, found, None, said, note)
    return Outcome(trial, mode, not wrong, words, worst, found, None, said)


def raised(error: Any) -> str:
    if not isinstance(error, dict):
        return "something"
    place = f" at {error.get('at')}" if error.get("at") else ""
    text = " ".join(str(error.get("text", "")).split())
    return f"{error.get('type')}: {text[:300]}{place}"
