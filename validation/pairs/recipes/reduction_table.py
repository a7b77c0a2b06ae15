"""Table of reductions: torch's call, and how a kernel starts, combines and finishes one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction.

    `{y}` is the value, `{dim}` PyTorch's axis, `{r}` the reduced value, `{n}` the count.
    """

    name: str
    phrase: str
    torch: str
    each: str = "{y}"
    identity: str = "0.0"
    combine: str = "{a} + {b}"
    reduce: str = "tl.sum"
    finish: str = "{r}"
    grows: bool = False
    """Whether the result may be too large for float16."""


REDUCTIONS = (
    Reduction("sum", "the sum", "{y}.sum({dim})", grows=True),
    Reduction("mean", "the mean", "{y}.mean({dim})", finish="{r} / {n}"),
    Reduction(
        "max",
        "the maximum",
        "{y}.amax({dim})",
        identity='-float("inf")',
        combine="fmax({a}, {b})",
        reduce="row_max",
    ),
    Reduction(
        "min",
        "the minimum",
        "{y}.amin({dim})",
        identity='float("inf")',
        combine="fmin({a}, {b})",
        reduce="row_min",
    ),
    Reduction(
        "sum_of_squares",
        "the sum of squares",
        "{y}.square().sum({dim})",
        each="{y} * {y}",
        grows=True,
    ),
    Reduction(
        "mean_square",
        "the mean square",
        "{y}.square().mean({dim})",
        each="{y} * {y}",
        finish="{r} / {n}",
    ),
    Reduction("l1_norm", "the L1 norm", "{y}.abs().sum({dim})", each="tl.abs({y})", grows=True),
    Reduction(
        "l2_norm",
        "the L2 norm",
        "torch.sqrt({y}.square().sum({dim}))",
        each="{y} * {y}",
        finish="tl.sqrt({r})",
    ),
    Reduction(
        "root_mean_square",
        "the root mean square",
        "torch.sqrt({y}.square().mean({dim}))",
        each="{y} * {y}",
        finish="tl.sqrt({r} / {n})",
    ),
    Reduction(
        "mean_abs",
        "the mean absolute value",
        "{y}.abs().mean({dim})",
        each="tl.abs({y})",
        finish="{r} / {n}",
    ),
    Reduction(
        "max_abs",
        "the largest absolute value",
        "{y}.abs().amax({dim})",
        each="tl.abs({y})",
        combine="fmax({a}, {b})",
        reduce="row_max",
    ),
    Reduction(
        "log_sum",
        "the logarithm of two plus the sum of squares",
        "torch.log(2.0 + {y}.square().sum({dim}))",
        each="{y} * {y}",
        finish="tl.log(2.0 + {r})",
    ),
    Reduction(
        "energy",
        "half the mean square",
        "0.5 * {y}.square().mean({dim})",
        each="0.5 * {y} * {y}",
        finish="{r} / {n}",
    ),
    Reduction(
        "soft_count",
        "how many are positive, counted softly",
        "torch.sigmoid({y}).mean({dim})",
        each="tl.sigmoid({y})",
        finish="{r} / {n}",
    ),
)
