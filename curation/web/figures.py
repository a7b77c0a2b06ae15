"""Labels and formatted values of the figures of checks."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Checks of every validation, unless it ends early.
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
# A share of the tolerance above this is shown as a multiple.
MULTIPLES = 10


@dataclass(frozen=True, slots=True)
class LabeledValue:
    """A formatted value with its label."""

    name: str
    value: str


def share_in_words(value: Any) -> str:
    """Format a share of the tolerance: in percent, or as a multiple if that is easier to read."""
    if not isinstance(value, int | float):
        return _plain(value)
    if value > MULTIPLES:
        return f"{value:,.0f} times" if value < 1e9 else f"{value:.1e} times"
    return f"{100 * value:.2g}%" if value < 1 else f"{100 * value:,.0f}%"


def _seconds(value: Any) -> str:
    """Format a time, or the time of each step."""
    if isinstance(value, dict):
        parts = (f"{STEPS.get(name, name)} {_seconds(part)}" for name, part in value.items())
        return ", ".join(parts)
    if not isinstance(value, int | float):
        return _plain(value)
    return f"{value:.2f} s" if value >= 0.1 else f"{1000 * value:.0f} ms"


def _tally(value: Any) -> str:
    if not isinstance(value, dict):
        return _plain(value)
    return ", ".join(f"{name} ({_plain(times)} times)" for name, times in value.items())


def _plain(value: Any) -> str:
    match value:
        case list():
            return ", ".join(map(_plain, value))
        case dict():
            return ", ".join(f"{name} = {_plain(part)}" for name, part in value.items())
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3g}"
    return str(value)


STEPS = {
    "author": "load test", "inputs": "make inputs", "reference": "run reference",
    "properties": "look at inputs", "recorder": "record Triton code", "replayer": "replay it",
    "candidate": "run Triton code", "answers": "run again", "test": "run test",
    "falsifiable": "damage outputs", "timing": "measure times", "sanitizer": "sanitizer",
    "compile": "compiling", "run": "running", "timing_compile": "compiling to measure",
}  # fmt: skip
FORMATS: Mapping[str, Callable[[Any], str]] = {
    "share_of_allowed": share_in_words,
    "torch_share": share_in_words,
    "kernel_seconds": _seconds,
    "seconds": _seconds,
    "problems": _tally,
    "launches": _tally,
    "computed": _tally,
    "cases": lambda value: f"{value:,}" if isinstance(value, int) else _plain(value),
}
# Labels of figures with unclear names. Labels of grades are on the claim sheet.
LABELS = {
    "passed": "Tests passed",
    "failed": "Tests failed",
    "skipped": "Tests skipped",
    "cases": "Inputs tried",
    "against_float64": "Compared in float64",
    "max_abs_error": "Largest absolute error",
    "max_rel_error": "Largest relative error",
    "share_of_allowed": "Share of the tolerance used",
    "wrong": "Wrong for",
    "limits": "Not supported",
    "twice": "Inputs run twice",
    "different": "Of these, different",
    "sizes_wrong": "Sizes outside of its domain",
    "values_wrong": "Values outside of its domain",
    "special_values_wrong": "Special values with another answer",
    "torch_operations": "PyTorch operations",
    "torch_share": "PyTorch's share of the bytes",
    "problems": "Not replayable",
    "launches": "Kernels launched",
    "unlaunched": "Kernels launched by no input",
    "computed": "Computed in PyTorch",
    "compared": "Gradients compared",
    "noticed": "Damage noticed",
    "unnoticed": "Damage not noticed",
    "without_effect": "Damage without effect",
    "kernel_seconds": "Time in the Triton code",
    "seconds": "Time by step",
    "timed_case": "Timed inputs",
    "not_compiled": "Not compiled by torch.compile",
    "gpu": "GPU",
    "capability": "Compute capability",
    "cuda": "CUDA",
    "memory_bytes": "GPU memory, bytes",
    "memory_gb_s": "Memory bandwidth, GB/s",
    "l2_bytes": "L2 cache, bytes",
    "torch": "PyTorch",
    "triton_default_fp_fusion": "Fused multiply-add by default",
}


def named(figures: Mapping[str, Any]) -> Iterator[LabeledValue]:
    """Yield the non-empty figures, formatted."""
    for name, value in figures.items():
        if value in (None, "", [], {}):
            continue
        yield LabeledValue(label_of(name), FORMATS.get(name, _plain)(value))


def label_of(name: str) -> str:
    """Return the label of a check or figure, by default derived from its name."""
    known = CHECKS.get(name) or LABELS.get(name)
    return known or name.replace("_", " ").replace("-", " ").strip().capitalize()
