"""Table of optimizers: a step in PyTorch, and the lines of the step in a kernel."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Optimizer:
    name: str
    phrase: str
    states: tuple[str, ...]
    lines: tuple[str, ...]
    """PyTorch's lines that update the parameter `p` and the states with the gradient `g`."""


OPTIMIZERS = (
    Optimizer("sgd", "SGD", (), ("p = p - lr * g",)),
    Optimizer("momentum", "momentum SGD with momentum 0.9", ("m",),
              ("m = 0.9 * m + g", "p = p - lr * m")),
    Optimizer("nesterov", "SGD with Nesterov momentum 0.9", ("m",),
              ("m = 0.9 * m + g", "p = p - lr * (g + 0.9 * m)")),
    Optimizer("adagrad", "Adagrad", ("v",),
              ("v = v + g * g", "p = p - lr * g / (torch.sqrt(v) + 1e-8)")),
    Optimizer("rmsprop", "RMSprop with decay 0.99", ("v",),
              ("v = 0.99 * v + 0.01 * g * g", "p = p - lr * g / (torch.sqrt(v) + 1e-8)")),
    Optimizer("adam", "Adam with betas 0.9 and 0.999", ("m", "v"),
              ("m = 0.9 * m + 0.1 * g", "v = 0.999 * v + 0.001 * g * g",
               "m_hat = m / (1.0 - 0.9**step)", "v_hat = v / (1.0 - 0.999**step)",
               "p = p - lr * m_hat / (torch.sqrt(v_hat) + 1e-8)")),
    Optimizer("adamax", "Adamax with betas 0.9 and 0.999", ("m", "v"),
              ("m = 0.9 * m + 0.1 * g", "v = torch.maximum(0.999 * v, torch.abs(g) + 1e-8)",
               "m_hat = m / (1.0 - 0.9**step)", "p = p - lr * m_hat / v")),
    Optimizer("smooth_lion", "soft-sign Lion with betas 0.9 and 0.99", ("m",),
              ("update = 0.9 * m + 0.1 * g", "p = p - lr * update / (torch.abs(update) + 1e-2)",
               "m = 0.99 * m + 0.01 * g")),
)  # fmt: skip
# Factors that the launcher computes and passes to the kernel as arguments.
CORRECTIONS = {"m_correction": "1.0 - 0.9**step", "v_correction": "1.0 - 0.999**step"}


def in_triton(lines: Iterable[str]) -> tuple[str, ...]:
    text = "\n".join(lines).replace("torch.maximum", "fmax").replace("torch.", "tl.")
    for name, factor in CORRECTIONS.items():
        text = text.replace(f"({factor})", name)
    return tuple(text.split("\n"))


def corrections(optimizer: Optimizer) -> dict[str, str]:
    """Return the expressions of an optimizer's bias corrections, by name."""
    text = "".join(optimizer.lines)
    return {name: factor for name, factor in CORRECTIONS.items() if f"({factor})" in text}


@dataclass(frozen=True, slots=True)
class Stage:
    """Consecutive lines of an optimizer that a separate kernel computes."""

    lines: tuple[str, ...]
    reads: dict[str, str]
    """For each tensor that the kernel reads, the tensor that is passed to it."""
    writes: tuple[str, ...]


def stages(lines: Iterable[str], states: tuple[str, ...], split: bool) -> list[Stage]:
    """Return the lines as one stage. If `split`, return two: for states, then for the parameter."""
    result = []
    current = {name: name for name in ("p", "g", *states)}
    for _, group in itertools.groupby(
        lines, lambda line: split and line.partition(" = ")[0] in states
    ):
        some = tuple(group)
        words = set(re.findall(r"\w+", " ".join(some)))
        writes = tuple(
            name for name in ("p", *states) if any(line.startswith(f"{name} =") for line in some)
        )
        reads = {name: tensor for name, tensor in current.items() if name in words}
        result.append(Stage(some, reads, writes))
        current |= {name: f"new_{name}" for name in writes}
    return result
