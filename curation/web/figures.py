"""Figures of checks, as a label and a value in words."""

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
OTHER_CHECKS = {
    "compiles": "Compiles",
    "conduct": "Conduct",
    "timing": "Timing",
    "sanitizer": "Sanitizer",
}
# A share of the tolerance above this is shown as a multiple.
MULTIPLES = 10


@dataclass(frozen=True, slots=True)
class LabeledValue:
    """A formatted value with its label."""

    name: str
    value: str


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else _plain(value)


def _error(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, int | float) else _plain(value)


def _multiple(value: Any) -> str:
    return f"{value:.3g} times" if isinstance(value, int | float) else _plain(value)


def share_in_words(value: Any) -> str:
    """Format a part of the tolerance: in percent, or as a multiple if that is easier to read."""
    if not isinstance(value, int | float):
        return _plain(value)
    if value > MULTIPLES:
        return f"{value:,.0f} times" if value < 1e9 else f"{value:.1e} times"
    return f"{100 * value:.2g}%" if value < 1 else f"{100 * value:,.0f}%"


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
    "share_of_allowed": ("Share of the tolerance used", share_in_words),
    "wrong": ("Wrong for", _plain),
    "left_out": ("Left out", _plain),
    "limits": ("Not supported", _plain),
    "twice": ("Inputs run twice", _count),
    "different": ("Of these, different", _count),
    "accuracy": ("Accuracy", _plain),
    "sizes": ("Sizes", _plain),
    "sizes_wrong": ("Sizes outside of its domain", _plain),
    "own_error": ("Error against torch's own", _multiple),
    "unvaried": ("Arguments with one value", _plain),
    "values": ("Values", _plain),
    "values_wrong": ("Values outside of its domain", _plain),
    "special_values": ("Special values", _plain),
    "special_values_wrong": ("Special values with another answer", _plain),
    "computed_by": ("Computed by", _plain),
    "torch_operations": ("PyTorch operations", _plain),
    "torch_share": ("PyTorch's share of the bytes", share_in_words),
    "test_strength": ("Kinds of damage noticed", _plain),
    "grades": ("Grades", _settings),
    "problems": ("Not replayable", _tally),
    "launches": ("Kernels launched", _tally),
    "launched": ("Kernels launched by some input", _plain),
    "unlaunched": ("Kernels launched by no input", _plain),
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
    "memory_bytes": ("GPU memory, bytes", _plain),
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


def named(figures: Mapping[str, Any]) -> Iterator[LabeledValue]:
    """Yield the non-empty figures, formatted."""
    for name, value in figures.items():
        if value in (None, "", [], {}):
            continue
        label, written = FIGURES.get(name, (label_of(name), _plain))
        yield LabeledValue(label, written(value))


def label_of(name: str) -> str:
    """Return a label for an unknown name, such as one of an older validation."""
    known = CHECKS.get(name) or OTHER_CHECKS.get(name)
    return known or name.replace("_", " ").replace("-", " ").strip().capitalize()
