"""Results tab of a pair's validation: measurements, and reasons for missing ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.models import Outcome, ValidationCheck, ValidationResult, Verdict
from curation.web.figures import (
    CHECKS,
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
# Grades that the claim sheet shows.
GRADES = (
    "accuracy", "own_error", "sizes", "values", "special_values", "unvaried", "computed_by",
    "launched", "test_strength",
)  # fmt: skip


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
    rows = [_row(check, result) for check in checks]
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


def _row(check: ValidationCheck, result: ValidationResult) -> CheckRow:
    name = label_of(check.name)
    labels = {Outcome.PASSED: "Passed", Outcome.FAILED: "Failed", Outcome.SKIPPED: "Not run"}
    label = labels[Outcome(check.outcome)]
    if check.outcome == Outcome.SKIPPED and check.name in result.figures:
        # The check ran, but its figures prove nothing, such as an impossible time.
        label = "Inconclusive"
    figures = check.figures if measured(check) is not None else _without(check.figures, ERRORS)
    figures = _without(figures, GRADES)
    shown = () if label == "Not run" else tuple(named(figures))
    return CheckRow(name, check.outcome, label, check.message, shown)


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
