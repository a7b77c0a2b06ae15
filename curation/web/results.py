"""Results tab of a pair's validation: measurements, and reasons for missing ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.evidence.grades import most_own_error
from curation.models import Outcome, ValidationCheck, ValidationResult, Verdict
from curation.web.figures import (
    CHECKS,
    FIGURES,
    MULTIPLES,
    LabeledValue,
    label_of,
    named,
    share_in_words,
)
from curation.web.plot import Dot, errors, measured

ORDER = (Outcome.FAILED, Outcome.PASSED, Outcome.SKIPPED)
# Figures of a comparison with the reference.
ERRORS = ("against_float64", "max_abs_error", "max_rel_error", "share_of_allowed")
# Figures that the checks and the table of times show already.
ELSEWHERE = (*ERRORS, "cases", "grades", "timing", "speedup")

# Each grade with its values and what a value means.
GRADES: Mapping[str, Mapping[str, str]] = {
    "accuracy": {
        "exact": "The bits of the reference.",
        "close": "Within what rounding explains.",
        "within": "Beyond rounding, within the practical tolerance of the dtype.",
    },
    "own_error": {},
    "sizes": {
        "any": "Right for each size that was tried.",
        "shown": "Right for the sizes of its own test, wrong for some others.",
        "not_tried": "No size was tried that its own test does not show.",
    },
    "values": {
        "any": "Right for each kind of values that was tried.",
        "shown": "Right for the values of its own test, wrong for some others.",
        "not_tried": "No values were tried that its own test does not show.",
    },
    "special_values": {
        "same": "Treats NaN, infinities and huge values as the reference does.",
        "differ": "Treats NaN, infinities or huge values otherwise than the reference.",
        "not_tried": "NaN, infinities and huge values were not tried.",
    },
    "unvaried": {},
    "computed_by": {
        "triton": "Its own kernels compute everything.",
        "mixed": "PyTorch computes a part.",
    },
    "launched": {
        "all": "Each of its kernels is launched by some input.",
        "some": "No input launches some of its kernels, which are not proven.",
    },
    "test_strength": {},
}
# Values that a reviewer should look into before approving.
WEAK = ("within", "shown", "differ", "mixed", "some", "not_tried")
# Grades that a person has to see if a validation has grades, but not these: they were not tried.
NOT_TRIED = "not_tried"
TRIED = ("sizes", "values", "special_values", "unvaried")


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade of the evidence. A weak one is worth a look before approving."""

    name: str
    value: str
    meaning: str
    weak: bool


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check. `outcome` is `skipped` if it did not run; the message then says why."""

    name: str
    outcome: str
    outcome_label: str
    message: str
    figures: tuple[LabeledValue, ...] = ()


def check_rows(result: ValidationResult, checks: Sequence[ValidationCheck]) -> list[CheckRow]:
    """Return the failed checks, then the passed ones, then those that did not run."""
    rows = [_row(check, checks, result) for check in checks]
    if result.verdict != Verdict.PASSED:
        names = {check.name for check in checks}
        ended = next((f" with “{row.name}”" for row in rows if row.outcome == Outcome.FAILED), "")
        why = f"The validation ended{ended} before this check."
        rows += [
            CheckRow(label, Outcome.SKIPPED, "Not run", why)
            for name, label in CHECKS.items()
            if name not in names
        ]
    return sorted(rows, key=lambda row: ORDER.index(Outcome(row.outcome)))


def _row(
    check: ValidationCheck, checks: Sequence[ValidationCheck], result: ValidationResult
) -> CheckRow:
    name = label_of(check.name)
    if check.name in ("memory", "bounds") and (why := _never_launched(checks)):
        return CheckRow(name, Outcome.SKIPPED, "Not run", why)
    labels = {Outcome.PASSED: "Passed", Outcome.FAILED: "Failed", Outcome.SKIPPED: "Not run"}
    label = labels[Outcome(check.outcome)]
    if check.outcome == Outcome.SKIPPED and check.name in result.figures:
        # It ran, but its figures prove nothing, such as an impossible time.
        label = "Inconclusive"
    figures = check.figures if measured(check) is not None else _without(check.figures, ERRORS)
    if "grades" in result.figures:
        figures = _without(figures, tuple(GRADES))
    shown = () if label == "Not run" else tuple(named(figures))
    return CheckRow(name, check.outcome, label, check.message, shown)


def _never_launched(checks: Sequence[ValidationCheck]) -> str:
    """Return why no kernel was launched, or an empty text.

    Older validations passed checks of a kernel's behavior although none had run.
    """
    for check in checks:
        if check.name == "triton" and check.outcome == Outcome.SKIPPED:
            return "" if check.figures.get("launches") else check.message
    return ""


def grades_of(result: ValidationResult) -> list[Grade]:
    """Return the grades of a validation in a fixed order; older validations have none."""
    grades = result.figures.get("grades")
    if not isinstance(grades, dict):
        return []
    whole = {
        **dict.fromkeys(TRIED, NOT_TRIED),
        **{k: v for k, v in grades.items() if v is not None},
    }
    if whole.get("accuracy") != "within":
        # Within rounding, a large multiple of torch's own error says little.
        whole.pop("own_error", None)
    return [_grade(name, whole[name]) for name in GRADES if name in whole]


def _grade(name: str, value: Any) -> Grade:
    label, written = FIGURES[name]
    if value == NOT_TRIED:
        meaning = GRADES[name].get(NOT_TRIED, "Arguments with one value only were not looked for.")
        return Grade(label, "not tried", meaning, weak=True)
    if name == "unvaried":
        meaning = (
            "These arguments have one value in all inputs: nothing shows that others work."
            if value
            else "Every argument has more than one value in the inputs."
        )
        return Grade(label, written(value) or "none", meaning, weak=bool(value))
    if name == "own_error":
        meaning = "The worst error, in multiples of torch's own error at the type."
        return Grade(label, written(value), meaning, weak=_is_far(value))
    if name == "test_strength":
        noticed, _, kinds = str(value).partition(" of ")
        meaning = f"Its own test notices {value} kinds of damage to the output."
        return Grade("Test strength", str(value), meaning, noticed != kinds)
    return Grade(label, str(value), GRADES[name].get(value, ""), value in WEAK)


def _is_far(error: Any) -> bool:
    return not isinstance(error, int | float) or error > most_own_error()


def figures_of(result: ValidationResult) -> list[LabeledValue]:
    return list(named(_without(result.figures, ELSEWHERE)))


def environment_of(result: ValidationResult) -> list[LabeledValue]:
    return list(named(result.run.environment))


def error_dots(checks: Sequence[ValidationCheck]) -> list[tuple[Dot, str, str]]:
    """Return the dots of the plot, each with the name of its check and its value in words."""
    return [(dot, label_of(dot.label), _in_words(dot)) for dot in errors(checks)]


def _in_words(dot: Dot) -> str:
    if dot.share == 0:
        return "no error"
    of = " " if dot.share > MULTIPLES else " of "
    otherwise = "; failed for another reason" if dot.state == "other" else ""
    return f"{share_in_words(dot.share)}{of}the tolerance{otherwise}"


def _without(figures: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if name not in names}


# --- Names and formats ----------------------------------------------------------------------
