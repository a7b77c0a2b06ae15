"""Table of reductions: torch's call, and how a kernel initializes, accumulates and finishes one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction.

    The phrase is followed by its object, such as “each row”. In expressions, `{y}` is the value,
    `{dim}` PyTorch's axis, `{r}` the reduced value, `{n}` the count.
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

    @property
    def is_even(self) -> bool:
        """True if the sign of a value has no effect."""
        return self.each != "{y}"

    @property
    def adds(self) -> bool:
        return self.combine == "{a} + {b}"

    def start(self, shape: str) -> str:
        """Return a block filled with the identity element."""
        if self.identity == "0.0":
            return f"tl.zeros({shape}, dtype=tl.float32)"
        return f"tl.full({shape}, {self.identity}, dtype=tl.float32)"

    def accumulated(self, value: str) -> str:
        """Return the statement that accumulates a value in `acc`."""
        return f"acc += {value}" if self.adds else f"acc = {self.combine.format(a='acc', b=value)}"


REDUCTIONS = (
    Reduction("sum", "sum", "{y}.sum({dim})", grows=True),
    Reduction("mean", "average", "{y}.mean({dim})", finish="{r} / {n}"),
    Reduction(
        "max",
        "take the maximum of",
        "{y}.amax({dim})",
        identity='-float("inf")',
        combine="fmax({a}, {b})",
        reduce="frow_max",
    ),
    Reduction(
        "min",
        "take the minimum of",
        "{y}.amin({dim})",
        identity='float("inf")',
        combine="fmin({a}, {b})",
        reduce="frow_min",
    ),
    Reduction(
        "sum_of_squares",
        "sum the squares of",
        "{y}.square().sum({dim})",
        each="{y} * {y}",
        grows=True,
    ),
    Reduction(
        "mean_square",
        "average the squares of",
        "{y}.square().mean({dim})",
        each="{y} * {y}",
        finish="{r} / {n}",
    ),
    Reduction(
        "l1_norm", "compute the L1 norm of", "{y}.abs().sum({dim})", each="tl.abs({y})", grows=True
    ),
    Reduction(
        "l2_norm",
        "compute the L2 norm of",
        "torch.linalg.vector_norm({y}, {dim})",
        each="{y} * {y}",
        finish="tl.sqrt({r})",
    ),
    Reduction(
        "root_mean_square",
        "compute the root mean square of",
        "torch.sqrt({y}.square().mean({dim}))",
        each="{y} * {y}",
        finish="tl.sqrt({r} / {n})",
    ),
    Reduction(
        "mean_abs",
        "average the absolute values of",
        "{y}.abs().mean({dim})",
        each="tl.abs({y})",
        finish="{r} / {n}",
    ),
    Reduction(
        "max_abs",
        "take the largest absolute value of",
        "{y}.abs().amax({dim})",
        each="tl.abs({y})",
        combine="fmax({a}, {b})",
        reduce="frow_max",
    ),
)
