"""A pair's validation as the Results tab shows it: what was measured, and why the rest was not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.models import Outcome, ValidationCheck, ValidationResult, Verdict
from curation.review.plot import Dot, errors, measured

# Every validation of a pair makes these checks, unless it ends early.
CHECKS = {
    "test": "Test",
    "accuracy": "Accuracy",
    "variations": "Variations",
    "memory": "Memory",
    "determinism": "Determinism",
    "triton": "Triton kernels",
    "bounds": "Bounds",
    "gradients": "Gradients",
    "falsifiable": "Falsifiable test",
}
OTHER_CHECKS = {"conduct": "Conduct", "timing": "Timing", "sanitizer": "Sanitizer"}
ORDER = (Outcome.FAILED, Outcome.PASSED, Outcome.SKIPPED)
# Figures that a comparison with the reference gives.
ERRORS = ("against_float64", "max_abs_error", "max_rel_error", "share_of_allowed")
# In the figures of a validation, what its checks and the table of times show already.
ELSEWHERE = (*ERRORS, "cases", "timing", "speedup")

# A share of the tolerance above this is written as a multiple.
MULTIPLES = 10


@dataclass(frozen=True, slots=True)
class Named:
    """A value as a person reads it, under its name."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Row:
    """One check. `outcome` is `skipped` if it did not run; the message then says why."""

    name: str
    outcome: str
    outcome_label: str
    message: str
    figures: tuple[Named, ...] = ()


def check_rows(result: ValidationResult, checks: Sequence[ValidationCheck]) -> list[Row]:
    """Return the failed checks, then the passed ones, then those that did not run."""
    rows = [_row(check, checks, result) for check in checks]
    if result.verdict != Verdict.PASSED:
        made = {check.name for check in checks}
        ended = next((f" with “{row.name}”" for row in rows if row.outcome == Outcome.FAILED), "")
        why = f"The validation ended{ended} before this check."
        rows += [
            Row(label, Outcome.SKIPPED, "Not run", why)
            for name, label in CHECKS.items()
            if name not in made
        ]
    return sorted(rows, key=lambda row: ORDER.index(Outcome(row.outcome)))


def _row(
    check: ValidationCheck, checks: Sequence[ValidationCheck], result: ValidationResult
) -> Row:
    name = _label(check.name)
    if check.name in ("memory", "bounds") and (why := _never_launched(checks)):
        return Row(name, Outcome.SKIPPED, "Not run", why)
    labels = {Outcome.PASSED: "Passed", Outcome.FAILED: "Failed", Outcome.SKIPPED: "Not run"}
    label = labels[Outcome(check.outcome)]
    if check.outcome == Outcome.SKIPPED and check.name in result.figures:
        # It ran, but its figures prove nothing, such as an impossible time.
        label = "Inconclusive"
    figures = check.figures if measured(check) is not None else _without(check.figures, ERRORS)
    shown = () if label == "Not run" else tuple(named(figures))
    return Row(name, check.outcome, label, check.message, shown)


def _never_launched(checks: Sequence[ValidationCheck]) -> str:
    """Return why no kernel was launched, or an empty text.

    Older validations let checks pass that look at what a kernel did, although none had run.
    """
    for check in checks:
        if check.name == "triton" and check.outcome == Outcome.SKIPPED:
            return "" if check.figures.get("launches") else check.message
    return ""


def figures_of(result: ValidationResult) -> list[Named]:
    return list(named(_without(result.figures, ELSEWHERE)))


def environment_of(result: ValidationResult) -> list[Named]:
    return list(named(result.run.environment))


def error_dots(checks: Sequence[ValidationCheck]) -> list[tuple[Dot, str, str]]:
    """Return what the plot draws: each dot, the name of its check, and its value in words."""
    return [(dot, _label(dot.label), _in_words(dot)) for dot in errors(checks)]


def _in_words(dot: Dot) -> str:
    if dot.share == 0:
        return "no error"
    of = " " if dot.share > MULTIPLES else " of "
    otherwise = "; failed for another reason" if dot.state == "other" else ""
    return f"{_share(dot.share)}{of}the tolerance{otherwise}"


def _without(figures: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if name not in names}


# --- Names and formats ----------------------------------------------------------------------
def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else _plain(value)


def _error(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, int | float) else _plain(value)


def _share(value: Any) -> str:
    """A part of the tolerance: in percent, or as a multiple where that is easier to read."""
    if not isinstance(value, int | float):
        return _plain(value)
    if value > MULTIPLES:
        return f"{value:,.0f} times" if value < 1e9 else f"{value:.1e} times"
    return f"{100 * value:.2g} %" if value < 1 else f"{100 * value:,.0f} %"


def _seconds(value: Any) -> str:
    if not isinstance(value, int | float):
        return _plain(value)
    return f"{value:.2f} s" if value >= 0.1 else f"{1000 * value:.0f} ms"


def _steps(value: Any) -> str:
    if not isinstance(value, dict):
        return _plain(value)
    return ", ".join(f"{STEPS.get(name, name)} {_seconds(part)}" for name, part in value.items())


def _tally(value: Any) -> str:
    if not isinstance(value, dict):
        return _plain(value)
    return ", ".join(f"{name} ({_count(times)} times)" for name, times in value.items())


def _settings(value: Any) -> str:
    if not isinstance(value, dict):
        return _plain(value)
    return ", ".join(f"{name} = {_plain(part)}" for name, part in value.items())


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, dict):
        return _settings(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


STEPS = {
    "author": "load test", "inputs": "make inputs", "reference": "run reference",
    "properties": "look at inputs", "recorder": "record Triton code", "replayer": "replay it",
    "candidate": "run Triton code", "answers": "run again", "test": "run test",
    "falsifiable": "damage outputs", "timing": "measure times", "sanitizer": "sanitizer",
    "compile": "compiling", "run": "running", "timing_compile": "compiling to measure",
}  # fmt: skip
FIGURES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "passed": ("Tests passed", _count),
    "failed": ("Tests failed", _count),
    "skipped": ("Tests skipped", _count),
    "cases": ("Inputs tried", _count),
    "against_float64": ("Compared in float64", _count),
    "max_abs_error": ("Largest absolute error", _error),
    "max_rel_error": ("Largest relative error", _error),
    "share_of_allowed": ("Share of the tolerance used", _share),
    "wrong": ("Wrong for", _plain),
    "left_out": ("Left out", _plain),
    "limits": ("Not supported", _plain),
    "twice": ("Inputs run twice", _count),
    "different": ("Of these, different", _count),
    "accuracy": ("Accuracy", _plain),
    "sizes": ("Sizes", _plain),
    "sizes_wrong": ("Sizes outside of its domain", _plain),
    "values": ("Values", _plain),
    "values_wrong": ("Values outside of its domain", _plain),
    "special_values": ("Special values", _plain),
    "special_values_wrong": ("Special values with another answer", _plain),
    "computed_by": ("Computed by", _plain),
    "torch_operations": ("PyTorch operations", _plain),
    "torch_share": ("PyTorch's share of the bytes", _share),
    "test_strength": ("Kinds of damage noticed", _plain),
    "grades": ("Grades", _settings),
    "problems": ("Not replayable", _tally),
    "launches": ("Kernels launched", _tally),
    "computed": ("Computed in PyTorch", _tally),
    "found": ("Found", _plain),
    "compared": ("Gradients compared", _count),
    "tests": ("Tests", _count),
    "noticed": ("Damage noticed", _plain),
    "unnoticed": ("Damage not noticed", _plain),
    "without_effect": ("Damage without effect", _plain),
    "errors": ("Errors", _count),
    "runs": ("Runs", _count),
    "kernel_seconds": ("Time in the Triton code", _seconds),
    "seconds": ("Time by step", _steps),
    "timed_case": ("Timed inputs", _settings),
    "not_compiled": ("Not compiled by torch.compile", _plain),
    "gpu": ("GPU", _plain),
    "capability": ("Compute capability", _plain),
    "driver": ("Driver", _plain),
    "cuda": ("CUDA", _plain),
    "memory_gb_s": ("Memory bandwidth, GB/s", _plain),
    "l2_bytes": ("L2 cache, bytes", _plain),
    "python": ("Python", _plain),
    "torch": ("PyTorch", _plain),
    "triton": ("Triton", _plain),
    "numpy": ("NumPy", _plain),
    "pytest": ("pytest", _plain),
    "platform": ("Platform", _plain),
    "triton_default_fp_fusion": ("Fused multiply-add by default", _plain),
    "device": ("Device", _plain),
    "sandbox": ("Sandbox", _plain),
    "seed": ("Seed", _plain),
}


def named(figures: Mapping[str, Any]) -> Iterator[Named]:
    """The figures that hold something, each as a person reads it."""
    for name, value in figures.items():
        if value in (None, "", [], {}):
            continue
        label, written = FIGURES.get(name, (_label(name), _plain))
        yield Named(label, written(value))


def _label(name: str) -> str:
    """A name that we do not know, such as one of an older validation."""
    known = CHECKS.get(name) or OTHER_CHECKS.get(name)
    return known or name.replace("_", " ").replace("-", " ").strip().capitalize()
