"""Normalizations of rows, including softmax, with operations before and after."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from validation.pairs.recipes.chains import Chain, answers_of
from validation.pairs.recipes.choices import DTYPES, NONE, named
from validation.pairs.recipes.informative import answers, is_informative
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import BINARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import ROW_SIZES
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY


@dataclass(frozen=True, slots=True)
class Norm:
    """A normalization. `y` is the row and becomes the normalized row.

    In `triton`, `sum(v)`, `max(v)` and `min(v)` reduce the row and keep it broadcastable.
    """

    name: str
    phrase: str
    torch: tuple[str, ...]
    triton: tuple[str, ...]
    operation_type: str = "normalization"


NORMS = (
    Norm(
        "layer_norm",
        "layer normalisation",
        (
            "mean = y.mean(dim=-1, keepdim=True)",
            "variance = y.var(dim=-1, unbiased=False, keepdim=True)",
            "y = (y - mean) * torch.rsqrt(variance + 1e-5)",
        ),
        (
            "mean = sum(y) / n_cols",
            "centred = tl.where(mask, y - mean, 0.0)",
            "variance = sum(centred * centred) / n_cols",
            "y = centred * tl.rsqrt(variance + 1e-5)",
        ),
    ),
    Norm(
        "rms_norm",
        "RMS normalisation",
        ("y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + 1e-6)",),
        ("mean_square = sum(y * y) / n_cols", "y = y * tl.rsqrt(mean_square + 1e-6)"),
    ),
    Norm(
        "l2_normalise",
        "scaling to unit length",
        ("y = y / torch.sqrt(y.square().sum(dim=-1, keepdim=True) + 1e-6)",),
        ("length = tl.sqrt(sum(y * y) + 1e-6)", "y = y / length"),
    ),
    Norm(
        "l1_normalise",
        "scaling to unit L1 norm",
        ("y = y / (y.abs().sum(dim=-1, keepdim=True) + 1e-6)",),
        ("mass = sum(tl.abs(y)) + 1e-6", "y = y / mass"),
    ),
    Norm(
        "centre",
        "subtracting the mean",
        ("y = y - y.mean(dim=-1, keepdim=True)",),
        ("mean = sum(y) / n_cols", "y = y - mean"),
    ),
    Norm(
        "min_max_scale",
        "scaling to the range from 0 to 1",
        (
            "low = y.amin(dim=-1, keepdim=True)",
            "high = y.amax(dim=-1, keepdim=True)",
            "y = (y - low) / (high - low + 1e-3)",
        ),
        ("low = row_min(y)", "high = row_max(y)", "y = (y - low) / (high - low + 1e-3)"),
    ),
    Norm(
        "max_abs_scale",
        "dividing by the largest absolute value",
        ("y = y / (y.abs().amax(dim=-1, keepdim=True) + 1e-3)",),
        ("largest = row_max(tl.abs(y))", "y = y / (largest + 1e-3)"),
    ),
    Norm(
        "mean_abs_scale",
        "dividing by the mean absolute value",
        ("y = y / (y.abs().mean(dim=-1, keepdim=True) + 1e-3)",),
        ("average = sum(tl.abs(y)) / n_cols", "y = y / (average + 1e-3)"),
    ),
    Norm(
        "softmax",
        "softmax",
        ("y = torch.softmax(y, dim=-1)",),
        (
            "shifted = y - max(y)",
            "numerator = tl.where(mask, tl.exp(shifted), 0.0)",
            "y = numerator / sum(numerator)",
        ),
        "softmax",
    ),
    Norm(
        "log_softmax",
        "log-softmax",
        ("y = torch.log_softmax(y, dim=-1)",),
        (
            "shifted = y - max(y)",
            "normaliser = sum(tl.where(mask, tl.exp(shifted), 0.0))",
            "y = shifted - tl.log(normaliser)",
        ),
        "softmax",
    ),
    Norm(
        "softmin",
        "softmin with temperature 2",
        ("y = torch.softmax(-0.5 * y, dim=-1)",),
        (
            "shifted = 0.5 * (min(y) - y)",
            "numerator = tl.where(mask, tl.exp(shifted), 0.0)",
            "y = numerator / sum(numerator)",
        ),
        "softmax",
    ),
    Norm(
        "softmax_one",
        "softmax with one more in the denominator",
        (
            "high = y.amax(dim=-1, keepdim=True).clamp(min=0.0)",
            "numerator = torch.exp(y - high)",
            "y = numerator / (torch.exp(-high) + numerator.sum(dim=-1, keepdim=True))",
        ),
        (
            "high = fmax(max(y), 0.0)",
            "numerator = tl.where(mask, tl.exp(y - high), 0.0)",
            "y = numerator / (tl.exp(-high) + sum(numerator))",
        ),
        "softmax",
    ),
)

AFFINES = ("none", "weight", "weight_bias")


def _norm_row(
    before: Chain,
    norm: Norm,
    affine: str,
    after: Operation | None,
    walk: str,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if not before.possible or (after is not None and not after.smooth):
        return None
    if not _stays_in_range(before, norm):
        return None
    if after is not None and (after.operands != 1 or not _tells(before, norm, after)):
        return None
    names = ("x", *before.operands)
    vectors = {"none": (), "weight": ("weight",), "weight_bias": ("weight", "shift")}[affine]
    if set(vectors) & set(names):
        return None
    torch = [*before.torch(), *(() if before.operations else ("y = x",)), *norm.torch]
    scale = {"none": "", "weight": "y = y * weight", "weight_bias": "y = y * weight + shift"}[
        affine
    ]
    torch += [scale] if scale else []
    torch += [f"y = {after.torch.format(x='y')}"] if after else []
    ending = f", then {after.phrase}" if after else ""
    scaled = {"none": "", "weight": " with a weight", "weight_bias": " with weight and shift"}
    beginning = f"{before.phrase}, then " if before.operations else ""
    phrase = f"{beginning}{norm.phrase}{scaled[affine]}{ending}"
    wide = dtypes == ("float32",)
    everything = ", ".join((*names, *vectors))
    widened = ", ".join(f"{name}.float()" for name in (*names, *vectors))
    opening = () if wide else ("dtype = x.dtype", f"{everything} = {widened}")
    parts = (before.name, norm.name, after.name if after else "")
    return Sketch(
        entry_point=named(*parts),
        summary=f"Each row: {phrase}.",
        operation_type=norm.operation_type,
        tags=(norm.operation_type, norm.name.replace("_", "-"), "rows"),
        triton="norm_rows",
        python=(*opening, *torch, "return y" if wide else "return y.to(dtype)"),
        arguments=(
            *(Argument(name, ("rows", "cols")) for name in names),
            *(Argument(name, ("cols",)) for name in vectors),
        ),
        sizes=ROW_SIZES,
        dtypes=dtypes,
        # A row of one value is divided by its own spread, which enlarges earlier rounding.
        tolerance=tolerances(dtypes, 3 + len(before.operations), 5e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "chain": before,
            "norm": norm,
            "vectors": vectors,
            "scale": scale,
            "after": after,
            "walk": walk,
        },
    )


# A softmax of 64 ordinary values is a hundredth each. Its cube is lost to every tolerance, and a
# softplus of its logarithm to rounding. Rows in a test are up to twenty times as long.
LEAST_OF_A_ROW, SPREAD_OF_A_ROW = 0.1, 5e-3


@functools.lru_cache(maxsize=1 << 16)
def _tells(before: Chain, norm: Norm, after: Operation) -> bool:
    """Return whether the operation after the normalization still depends on the input."""
    row = answers(norm.triton, y=answers_of(before))
    return is_informative(
        answers(Chain((after,)).triton(), x=row, y=row), LEAST_OF_A_ROW, SPREAD_OF_A_ROW
    )


@functools.lru_cache(maxsize=1 << 16)
def _stays_in_range(before: Chain, norm: Norm) -> bool:
    """Return whether float32 and float64 agree for large values.

    The square of a product's cube does not, and PyTorch sums some in float64.
    """
    row = answers_of(before, "large")
    if row is None or not np.isfinite(np.float32(row)).all():
        return True
    narrow, wide = (answers(norm.triton, y=kind(row)) for kind in (np.float32, np.float64))
    return wide is None or bool(np.allclose(narrow, wide, rtol=0.1, atol=0.01))


@functools.lru_cache(maxsize=1 << 16)
def _spreads(before: Chain) -> bool:
    """Return whether the mean is not far larger than the spread.

    Otherwise a variance that is the difference of two moments loses most of its digits.
    """
    row = answers_of(before)
    return row is None or bool(np.mean(row) ** 2 <= 4.0 * np.var(row))


def _norm_looped(
    before: Chain, kind: str, after: Operation | None, block: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not before.possible or (after is not None and not after.smooth):
        return None
    if kind == "layer_two_moments" and not _spreads(before):
        return None
    norm = next(norm for norm in NORMS if norm.name == LOOPED[kind])
    sketch = _norm_row(before, norm, "none", after, "single", dtypes)
    if sketch is None:
        return None
    values = {"chain": before, "kind": kind, "after": after, "block_size": block}
    return Sketch(
        entry_point=sketch.entry_point,
        summary=f"{sketch.summary[:-1]}, in blocks of the row.",
        operation_type=sketch.operation_type,
        tags=(*sketch.tags, "looped"),
        triton="norm_looped",
        python=sketch.python,
        arguments=sketch.arguments,
        sizes=({"rows": 1, "cols": 1}, {"rows": 3, "cols": 127}, {"rows": 5, "cols": 700},
               {"rows": 2, "cols": 3 * block + 1}),
        dtypes=dtypes,
        tolerance=sketch.tolerance,
        layouts=sketch.layouts,
        values=values,
    )  # fmt: skip


LOOPED = {
    "layer_two_moments": "layer_norm",
    "layer_three_passes": "layer_norm",
    "layer_welford": "layer_norm",
    "rms": "rms_norm",
    "l2": "l2_normalise",
    "softmax_online": "softmax",
    "softmax_three_passes": "softmax",
    "log_softmax_online": "log_softmax",
}

BEFORE = (NONE, *chains(UNARY), *chains(BINARY), *chains(BINARY, UNARY))
AFTER = (None, *UNARY)

NORM_RECIPES = (
    Recipe(
        "row-normalisation",
        _norm_row,
        {
            "before": BEFORE,
            "norm": tuple(norm for norm in NORMS if norm.operation_type == "normalization"),
            "affine": AFFINES,
            "after": AFTER,
            "walk": ("single", "tile", "persistent"),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "row-softmax",
        _norm_row,
        {
            "before": BEFORE,
            "norm": tuple(norm for norm in NORMS if norm.operation_type == "softmax"),
            "affine": ("none",),
            "after": AFTER,
            "walk": ("single", "tile", "persistent"),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "looped-normalisation",
        _norm_looped,
        {
            "before": BEFORE,
            "kind": tuple(LOOPED),
            "after": AFTER,
            "block": (128, 256, 512),
            "dtypes": DTYPES,
        },
    ),
)
