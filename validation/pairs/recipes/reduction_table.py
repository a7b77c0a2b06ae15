"""Tables of reductions and of normalizations, in PyTorch and in Triton."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction.

    The phrase is followed by its object, such as “each row”. In expressions, `{y}` is the value,
    `{dim}` is PyTorch's axis, `{r}` is the reduced value, and `{n}` is the count.
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
        """True if the signs of the values have no effect on the result."""
        return self.each != "{y}"

    @property
    def adds(self) -> bool:
        return self.combine == "{a} + {b}"

    def start(self, shape: str) -> str:
        """Return the expression of a block filled with the identity element."""
        if self.identity == "0.0":
            return f"tl.zeros({shape}, dtype=tl.float32)"
        return f"tl.full({shape}, {self.identity}, dtype=tl.float32)"

    def accumulated(self, value: str) -> str:
        """Return the statement that adds a value to the accumulator `acc`."""
        return f"acc += {value}" if self.adds else f"acc = {self.combine.format(a='acc', b=value)}"


MEAN, SQUARE, SIZE = "{r} / {n}", "{y} * {y}", "tl.abs({y})"
LOW, HIGH = '-float("inf")', 'float("inf")'
REDUCTIONS = (
    Reduction("sum", "sum", "{y}.sum({dim})", grows=True),
    Reduction("mean", "average", "{y}.mean({dim})", finish=MEAN),
    Reduction("max", "take the maximum of", "{y}.amax({dim})", identity=LOW,
              combine="fmax({a}, {b})", reduce="frow_max"),
    Reduction("min", "take the minimum of", "{y}.amin({dim})", identity=HIGH,
              combine="fmin({a}, {b})", reduce="frow_min"),
    Reduction("sum_of_squares", "sum the squares of", "{y}.square().sum({dim})", SQUARE,
              grows=True),
    Reduction("mean_square", "average the squares of", "{y}.square().mean({dim})", SQUARE,
              finish=MEAN),
    Reduction("l1_norm", "compute the L1 norm of", "{y}.abs().sum({dim})", SIZE, grows=True),
    Reduction("l2_norm", "compute the L2 norm of", "torch.linalg.vector_norm({y}, {dim})", SQUARE,
              finish="tl.sqrt({r})"),
    Reduction("root_mean_square", "compute the root mean square of",
              "torch.sqrt({y}.square().mean({dim}))", SQUARE, finish="tl.sqrt({r} / {n})"),
    Reduction("mean_abs", "average the absolute values of", "{y}.abs().mean({dim})", SIZE,
              finish=MEAN),
    Reduction("max_abs", "take the largest absolute value of", "{y}.abs().amax({dim})", SIZE,
              combine="fmax({a}, {b})", reduce="frow_max"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Norm:
    """A normalization. `y` is the row, and later the normalized row.

    In `triton`, `{axis}` stands for a reduction of the row to a value that can be broadcast.
    """

    name: str
    phrase: str
    torch: tuple[str, ...]
    """PyTorch's lines on `{y}`. `{affine}` stands for the weight and the bias of a call."""
    triton: tuple[str, ...]
    operation_type: str = "normalization"
    affines: tuple[str, ...] = ("none",)
    fill: str = "0.0"
    """Value that is loaded for lanes beyond the end of the row."""


NORMS = (
    Norm("layer_norm", "apply layer normalization",
         ("y = F.layer_norm({y}, {y}.shape[-1:]{affine})",),
         ("mean = tl.sum(y, {axis}) / n_cols",
          "centered = tl.where(mask, y - mean, 0.0)",
          "variance = tl.sum(centered * centered, {axis}) / n_cols",
          "y = centered * tl.rsqrt(variance + 1e-5)"), affines=("none", "weight", "weight_bias")),
    Norm("rms_norm", "apply RMS normalization",
         ("y = F.rms_norm({y}, {y}.shape[-1:]{affine}, eps=1e-6)",),
         ("mean_square = tl.sum(y * y, {axis}) / n_cols",
          "y = y * tl.rsqrt(mean_square + 1e-6)"), affines=("none", "weight")),
    Norm("l2_normalize", "scale each row to unit length", ("y = F.normalize({y}, dim=-1)",),
         ("norm = tl.sqrt(tl.sum(y * y, {axis}))", "y = y / fmax(norm, 1e-12)")),
    Norm("l1_normalize", "scale each row to unit L1 norm",
         ("y = F.normalize({y}, p=1.0, dim=-1)",),
         ("norm = tl.sum(tl.abs(y), {axis})", "y = y / fmax(norm, 1e-12)")),
    Norm("center", "subtract the mean of each row",
         ("y = {y} - {y}.mean(dim=-1, keepdim=True)",),
         ("mean = tl.sum(y, {axis}) / n_cols", "y = y - mean")),
    Norm("min_max_scale", "scale each row to [0, 1]",
         ("low = {y}.amin(dim=-1, keepdim=True)",
          "high = {y}.amax(dim=-1, keepdim=True)",
          "y = ({y} - low) / (high - low + 1e-3)"),
         ('low = frow_min(tl.where(mask, y, float("inf")), {axis})',
          'high = frow_max(tl.where(mask, y, -float("inf")), {axis})',
          "y = (y - low) / (high - low + 1e-3)")),
    Norm("max_abs_scale", "scale each row by its largest absolute value",
         ("y = {y} / ({y}.abs().amax(dim=-1, keepdim=True) + 1e-3)",),
         ('largest = frow_max(tl.where(mask, tl.abs(y), -float("inf")), {axis})',
          "y = y / (largest + 1e-3)")),
    Norm("softmax", "apply softmax to each row", ("y = F.softmax({y}, dim=-1)",),
         ("numerator = tl.exp(y - tl.max(y, {axis}))",
          "y = numerator / tl.sum(numerator, {axis})"), "softmax", fill=LOW),
    Norm("log_softmax", "apply log-softmax to each row", ("y = F.log_softmax({y}, dim=-1)",),
         ("y = y - tl.max(y, {axis})", "y = y - tl.log(tl.sum(tl.exp(y), {axis}))"),
         "softmax", fill=LOW),
    Norm("softmin", "apply softmin to each row", ("y = F.softmin({y}, dim=-1)",),
         ("numerator = tl.exp(tl.min(y, {axis}) - y)",
          "y = numerator / tl.sum(numerator, {axis})"), "softmax", fill=HIGH),
    Norm("sink_softmax",
         "apply softmax with an attention sink (one more logit of zero) to each row",
         ("high = {y}.amax(dim=-1, keepdim=True).clamp(min=0.0)",
          "numerator = torch.exp({y} - high)",
          "y = numerator / (torch.exp(-high) + numerator.sum(dim=-1, keepdim=True))"),
         ("high = fmax(tl.max(y, {axis}), 0.0)",
          "numerator = tl.exp(y - high)",
          "y = numerator / (tl.exp(-high) + tl.sum(numerator, {axis}))"), "softmax", fill=LOW),
)  # fmt: skip

NORMALIZATIONS = tuple(norm for norm in NORMS if norm.operation_type == "normalization")
SOFTMAXES = tuple(norm for norm in NORMS if norm.operation_type == "softmax")
