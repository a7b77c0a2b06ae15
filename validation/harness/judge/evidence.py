"""Answers of the processes about an entry, read as hostile input and compared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from validation.harness.judge.answers import Value, compared, value
from validation.harness.judge.compare import Comparison, Grade
from validation.harness.judge.leeway import Leeway
from validation.harness.judge.numbers import Unreadable
from validation.harness.plan import DECISIVE, Trial

# At values and sizes that no case shows, bounds are this much wider.
BEYOND_SHOWN = 2.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The reference's answers to a trial; `refusal` where it raised."""

    native: Value | None
    precise: Value | None = None
    shaken: Value | None = None
    rounded: Value | None = None
    refusal: str = ""
    mutated: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    """The inputs that the reference writes to, by their places among the tensors."""

    @property
    def others(self) -> tuple[Value | None, ...]:
        return self.precise, self.shaken, self.rounded


@dataclass(frozen=True, slots=True)
class Outcome:
    """One replay of one trial, judged."""

    trial: Trial
    mode: str
    right: bool
    words: str
    worst: Comparison
    value: Value | None
    raised: dict[str, Any] | None
    said: dict[str, Any] = field(default_factory=dict)

    def count(self, what: str) -> dict[str, int]:
        """Return a tally of the run's, or an empty one."""
        tally = self.said.get(what)
        return {str(k): int(v) for k, v in tally.items()} if isinstance(tally, dict) else {}


def wanted(said: Any, blobs: list[memoryview]) -> dict[int, Wanted]:
    """Return the reference's answers by the trial's number. They are checked like all others."""
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
            mutated=tuple(int(storage) for storage in native["mutated"]),
            written=tuple(int(place) for place in native["places"]),
        )
    return answers


def with_rounding(
    wanted: dict[int, Wanted], said: Any, blobs: list[memoryview]
) -> dict[int, Wanted]:
    """Return the same with the effect of rounding on the trials that were asked again."""
    asked = {int(run["trial"]): _at(run, "rounded", blobs) for run in said["runs"]}
    return wanted | {
        number: replace(wanted[number], rounded=answer) for number, answer in asked.items()
    }


def _at(run: Any, width: str, blobs: list[memoryview]) -> Value | None:
    return value(run[width], blobs) if "value" in run.get(width, {}) else None


def outcomes(
    said: Any, blobs: list[memoryview], trials: list[Trial], wanted: dict[int, Wanted],
    leeway: Leeway, inputs: Mapping[int, int],
) -> list[Outcome]:  # fmt: skip
    """Return each run, judged. `inputs`: the elements of each trial's inputs."""
    by_number = {trial.number: trial for trial in trials}
    made: list[Outcome] = []
    for run in said["runs"]:
        trial = by_number[run["trial"]]
        expected = wanted.get(trial.number)
        if expected is None or expected.native is None:
            continue
        earlier = [one for one in made if one.trial is trial]
        compare = partial(
            compared, native=expected.native, others=expected.others, leeway=leeway,
            inputs=inputs.get(trial.number, 0), infinite_inputs=trial.brings_infinity,
            slack=1.0 if trial.kind in DECISIVE else BEYOND_SHOWN,
        )  # fmt: skip
        made.append(_outcome(trial, run, blobs, compare, earlier))
    return made


def _outcome(
    trial: Trial, run: dict[str, Any], blobs: list[memoryview],
    compare: Callable[[Value], list[tuple[str, Comparison]]], earlier: list[Outcome],
) -> Outcome:  # fmt: skip
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
    comparisons = compare(found)
    wrong = [(name, one) for name, one in comparisons if one.wrong]
    name, worst = max(
        wrong or comparisons or [("", Comparison(""))], key=lambda pair: pair[1].share
    )
    words = f"{name}: {worst.wrong}" if worst.wrong else ""
    if not wrong:
        grades = [one.grade for _, one in comparisons]
        worst = replace(worst, grade=max(grades, key=list(Grade).index, default=Grade.EXACT))
    return Outcome(trial, mode, not wrong, words, worst, found, None, said)


def raised(error: Any) -> str:
    if not isinstance(error, dict):
        return "something"
    place = f" at {error.get('at')}" if error.get("at") else ""
    text = " ".join(str(error.get("text", "")).split())
    return f"{error.get('type')}: {text[:300]}{place}"
