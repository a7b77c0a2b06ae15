"""Normalizations of rows, including softmax, with operations before and after."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from validation.pairs.recipes.blocks import AFTER_NORM, BEFORE_NORM, BEFORE_SOFTMAX, only
from validation.pairs.recipes.chains import Chain, answers_of
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.informative import answers, is_informative
from validation.pairs.recipes.maps import ROUNDED, in_float32
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.perf import SHORT_ROWS
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import ROW_SIZES
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


@dataclass(frozen=True, slots=True)
class Norm:
    """A normalization. `y` is the row, and then the normalized row.

    In `triton`, `sum(v)`, `max(v)` and `min(v)` reduce the row to a broadcastable value.
    `frow_max(v)` and `frow_min(v)` ignore elements beyond the row.
    """

    name: str
    phrase: str
    torch: tuple[str, ...]
    """Lines over `{y}`; `{affine}` are the weight and bias of a call."""
    triton: tuple[str, ...]
    operation_type: str = "normalization"
    affines: tuple[str, ...] = ("none",)
    fill: str = "0.0"
    """Value loaded for lanes beyond the row."""


LOW = '-float("inf")'
NORMS = (
    Norm(
        "layer_norm",
        "apply layer normalization",
        ("y = F.layer_norm({y}, {y}.shape[-1:]{affine})",),
        (
            "mean = sum(y) / n_cols",
            "centered = tl.where(mask, y - mean, 0.0)",
            "variance = sum(centered * centered) / n_cols",
            "y = centered * tl.rsqrt(variance + 1e-5)",
        ),
        affines=("none", "weight", "weight_bias"),
    ),
    Norm(
        "rms_norm",
        "apply RMS normalization",
        ("y = F.rms_norm({y}, {y}.shape[-1:]{affine}, eps=1e-6)",),
        ("mean_square = sum(y * y) / n_cols", "y = y * tl.rsqrt(mean_square + 1e-6)"),
        affines=("none", "weight"),
    ),
    Norm(
        "l2_normalize",
        "scale each row to unit length",
        ("y = F.normalize({y}, dim=-1)",),
        ("norm = tl.sqrt(sum(y * y))", "y = y / fmax(norm, 1e-12)"),
    ),
    Norm(
        "l1_normalize",
        "scale each row to unit L1 norm",
        ("y = F.normalize({y}, p=1.0, dim=-1)",),
        ("norm = sum(tl.abs(y))", "y = y / fmax(norm, 1e-12)"),
    ),
    Norm(
        "center",
        "subtract the mean of each row",
        ("y = {y} - {y}.mean(dim=-1, keepdim=True)",),
        ("mean = sum(y) / n_cols", "y = y - mean"),
    ),
    Norm(
        "min_max_scale",
        "scale each row to [0, 1]",
        (
            "low = {y}.amin(dim=-1, keepdim=True)",
            "high = {y}.amax(dim=-1, keepdim=True)",
            "y = ({y} - low) / (high - low + 1e-3)",
        ),
        ("low = frow_min(y)", "high = frow_max(y)", "y = (y - low) / (high - low + 1e-3)"),
    ),
    Norm(
        "max_abs_scale",
        "scale each row by its largest absolute value",
        ("y = {y} / ({y}.abs().amax(dim=-1, keepdim=True) + 1e-3)",),
        ("largest = frow_max(tl.abs(y))", "y = y / (largest + 1e-3)"),
    ),
    Norm(
        "softmax",
        "apply softmax to each row",
        ("y = F.softmax({y}, dim=-1)",),
        (
            "numerator = tl.exp(y - max(y))",
            "y = numerator / sum(numerator)",
        ),
        "softmax",
        fill=LOW,
    ),
    Norm(
        "log_softmax",
        "apply log-softmax to each row",
        ("y = F.log_softmax({y}, dim=-1)",),
        (
            "y = y - max(y)",
            "y = y - tl.log(sum(tl.exp(y)))",
        ),
        "softmax",
        fill=LOW,
    ),
    Norm(
        "softmin",
        "apply softmin to each row",
        ("y = F.softmin({y}, dim=-1)",),
        (
            "numerator = tl.exp(min(y) - y)",
            "y = numerator / sum(numerator)",
        ),
        "softmax",
        fill='float("inf")',
    ),
    Norm(
        "sink_softmax",
        "apply softmax with an attention sink (one more logit of zero) to each row",
        (
            "high = {y}.amax(dim=-1, keepdim=True).clamp(min=0.0)",
            "numerator = torch.exp({y} - high)",
            "y = numerator / (torch.exp(-high) + numerator.sum(dim=-1, keepdim=True))",
        ),
        (
            "high = fmax(max(y), 0.0)",
            "numerator = tl.exp(y - high)",
            "y = numerator / (tl.exp(-high) + sum(numerator))",
        ),
        "softmax",
        fill=LOW,
    ),
)

VECTORS: dict[str, tuple[str, ...]] = {
    "none": (),
    "weight": ("weight",),
    "weight_bias": ("weight", "bias"),
}


ROWS = only(BEFORE_NORM, "full", "row")
SCORE_ROWS = only(BEFORE_SOFTMAX, "full", "row")


def _norm_row(
    chain: Chain,
    norm: Norm,
    affine: str,
    after: Operation | None,
    walk: str,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    vectors = VECTORS[affine]
    if affine not in norm.affines or set(vectors) & set(chain.operands):
        return None
    if not _is_usual(chain, norm, after):
        return None
    if not chain.possible or not _stays_in_range(chain, norm):
        return None
    if after is not None and not _tells(chain, norm, after):
        return None
    steps = len(chain.operations) + 1 + (after is not None)
    is_widened = dtypes != ("float32",) and (norm.operation_type == "softmax" or steps > 3)
    given = "".join(f", {name}" for name in vectors)
    torch = [*chain.torch(), *(line.format(y=chain.result, affine=given) for line in norm.torch)]
    torch += [f"y = {after.torch.format(x='y')}"] if after else []
    if is_widened:
        torch = [*in_float32(("x", *chain.floats, *vectors), tuple(torch))]
    else:
        torch[-1] = torch[-1].replace("y = ", "return ", 1)
    with_vectors = {"none": "", "weight": " with a weight", "weight_bias": " with weight and bias"}
    endings = (f"{norm.phrase}{with_vectors[affine]}", *((after.phrase,) if after else ()))
    tolerance = tolerances(dtypes, 3 + len(chain.operations), 5e-5)
    if not is_widened:
        tolerance = {name: ROUNDED.get(name, known) for name, known in tolerance.items()}
    parts = (chain.name, norm.name, after.name if after else "")
    return Sketch(
        entry_point=named(*parts),
        summary=chain.sentence(*endings),
        operation_type=norm.operation_type,
        tags=(norm.operation_type, norm.name.replace("_", "-"), "rows"),
        triton="norm_rows",
        python=tuple(torch),
        arguments=(
            Argument("x", ("rows", "cols"), chain.draw),
            *chain.arguments(("rows", "cols"), ("cols",), ("rows",)),
            *(Argument(name, ("cols",)) for name in vectors),
        ),
        sizes=ROW_SIZES,
        perf=SHORT_ROWS if walk == "tile" else (),
        # A row with one value is divided by its own spread, which magnifies earlier rounding.
        tolerance=tolerance,
        layouts=("contiguous", "strided", "transposed"),
        values={
            "vectors": vectors,
        },
    )


def _is_usual(before: Chain, norm: Norm, after: Operation | None) -> bool:
    """Return whether models apply these operations around this normalization."""
    if norm.name == "softmin":
        return before.name in ("", "temperature", "scale_by_2", "squared_error", "absolute_error")
    if norm.operation_type == "softmax":
        return after is None and before in SCORE_ROWS
    if norm.name in ("layer_norm", "rms_norm"):
        return before in ROWS
    return after is None and before in ROWS and len(before.operations) <= 1


# A softmax of 64 ordinary values is about 0.01 each. Its cube is below every tolerance, and a
# softplus of its logarithm is lost to rounding. Rows in a test are up to twenty times as long.
LEAST_OF_A_ROW, SPREAD_OF_A_ROW = 0.1, 5e-3


@functools.lru_cache(maxsize=1 << 16)
def _tells(before: Chain, norm: Norm, after: Operation) -> bool:
    """Return whether the operation's result after the normalization still depends on the input."""
    row = answers(norm.triton, y=answers_of(before))
    return is_informative(
        answers(Chain((after,)).triton(), x=row, y=row), LEAST_OF_A_ROW, SPREAD_OF_A_ROW
    )


@functools.lru_cache(maxsize=1 << 16)
def _stays_in_range(before: Chain, norm: Norm) -> bool:
    """Return whether float32 and float64 give the same results for large values.

    They don't for the square of a product's cube, and PyTorch computes some sums in float64.
    """
    row = answers_of(before, "large")
    if row is None or not np.isfinite(np.float32(row)).all():
        return True
    narrow, wide = (answers(norm.triton, y=kind(row)) for kind in (np.float32, np.float64))
    return wide is None or bool(np.allclose(narrow, wide, rtol=0.1, atol=0.01))


def _norm_looped(
    chain: Chain,
    kind: str,
    affine: str,
    after: Operation | None,
    block_size: int,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    norm = next(norm for norm in NORMS if norm.name == LOOPED[kind])
    sketch = _norm_row(chain, norm, affine, after, "single", dtypes)
    if sketch is None:
        return None
    return replace(
        sketch,
        tags=(*sketch.tags, "looped"),
        triton="norm_looped",
        sizes=({"rows": 1, "cols": 1}, {"rows": 3, "cols": 127}, {"rows": 5, "cols": 700},
               {"rows": 2, "cols": 2 * block_size + 1}),
        values={**sketch.values, "kind": kind, "block_size": block_size},
    )  # fmt: skip


LOOPED = {
    "layer_three_passes": "layer_norm",
    "layer_welford": "layer_norm",
    "rms": "rms_norm",
    "l2": "l2_normalize",
    "softmax_online": "softmax",
    "softmax_three_passes": "softmax",
    "log_softmax_online": "log_softmax",
}

NORM_RECIPES = (
    Recipe(
        "row-normalization",
        _norm_row,
        chain=ROWS,
        norm=tuple(norm for norm in NORMS if norm.operation_type == "normalization"),
        affine=tuple(VECTORS),
        after=AFTER_NORM,
        walk=("single", "tile", "persistent"),
        dtypes=DTYPES,
    ),
    Recipe(
        "row-softmax",
        _norm_row,
        chain=SCORE_ROWS,
        norm=tuple(norm for norm in NORMS if norm.operation_type == "softmax"),
        affine=("none",),
        after=(None,),
        walk=("single", "tile", "persistent"),
        dtypes=DTYPES,
    ),
    Recipe(
        "looped-normalization",
        _norm_looped,
        chain=(*ROWS, *SCORE_ROWS[1:]),
        kind=tuple(LOOPED),
        affine=tuple(VECTORS),
        after=AFTER_NORM,
        block_size=(1024, 2048, 4096),
        dtypes=DTYPES,
    ),
)
