"""Distances between the rows of two matrices."""

from __future__ import annotations

import numpy as np

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.informative import ORDINARY, answers, is_informative
from validation.pairs.recipes.matmuls import TILES, matmul_sizes, then
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY

DISTANCES = {
    "squared": ("compute the squared Euclidean distance", "squares", "squares"),
    "euclidean": (
        "compute the Euclidean distance, at least 0.01,",
        "torch.sqrt(torch.clamp(squares, min=1e-4))",
        "tl.sqrt(fmax(squares, 1e-4))",
    ),
    "gaussian": (
        "compute the Gaussian kernel exp(-0.01 d²) of the distance d",
        "torch.exp(-0.01 * squares)",
        "tl.exp(-0.01 * squares)",
    ),
    "inverse": (
        "compute the inverse quadratic kernel 1 / (1 + d²) of the distance d",
        "1.0 / (1.0 + squares)",
        "1.0 / (1.0 + squares)",
    ),
    "multiquadric": (
        "compute the inverse multiquadric kernel 1 / sqrt(1 + d²) of the distance d",
        "torch.rsqrt(1.0 + squares)",
        "tl.rsqrt(1.0 + squares)",
    ),
    "laplace": (
        "compute the Laplace kernel exp(-0.3 d) of the distance d, at least 0.01,",
        "torch.exp(-0.3 * torch.sqrt(torch.clamp(squares, min=1e-4)))",
        "tl.exp(-0.3 * tl.sqrt(fmax(squares, 1e-4)))",
    ),
}


SATURATING = ("tanh", "sigmoid", "clamp", "clip_value", "gaussian", "inverse_root")

# Sample results of a kernel function of the distance, for rows with some dozens of columns.
NEARNESS = np.linspace(0.0, 0.2, ORDINARY.size)


def _is_distinct(after: Operation) -> bool:
    """Return whether results of small values remain distinguishable.

    Distant rows give tiny values, whose digits the short forms of tanh and log1p lose.
    """
    if after.name in ("tanh", "log1p"):
        return False
    return is_informative(answers(Chain((after,)).triton(), x=NEARNESS, y=NEARNESS), 0.05, 0.01)


def _distance(
    kind: str, way: str, after: Operation | None, tile: tuple[int, int, int]
) -> Sketch | None:
    if after is not None and not after.smooth:
        return None
    # For large distances these return only 1 or 0, so a test would miss mistakes.
    if kind in ("squared", "euclidean") and after is not None and after.name in SATURATING:
        return None
    if kind not in ("squared", "euclidean") and after is not None and not _is_distinct(after):
        return None
    phrase, torch, triton = DISTANCES[kind]
    following = Chain((after,) if after else ())
    expanded = [
        "squares = a.square().sum(dim=-1)[:, None] + b.square().sum(dim=-1) - 2.0 * a @ b.t()",
        *(("squares = torch.clamp(squares, min=0.0)",) if "1e-4" not in torch else ()),
    ]
    direct = [
        "difference = a[:, None, :] - b[None, :, :]",
        "squares = difference.square().sum(dim=-1)",
    ]
    is_square = torch == "squares"
    result = f"y = {after.torch.format(x='squares' if is_square else 'y')}" if after else ""
    python = [
        # By the kernel's own formula: for infinities, the two formulas give different results.
        *(expanded if way == "dot" else direct),
        *([] if is_square else [f"y = {torch}"]),
        *([result] if result else []),
        f"return {'squares' if is_square and not after else 'y'}",
    ]
    return Sketch(
        entry_point=named(kind, "distances", following.suffix),
        summary=then(
            f"{phrase} between each row of a and each row of b",
            following,
        ),
        operation_type="matmul",
        tags=("distance", "pairwise"),
        triton="distances",
        python=tuple(python),
        arguments=(Argument("a", ("m", "k")), Argument("b", ("n", "k"))),
        sizes=matmul_sizes(tile),
        # Small sizes, because the reference may store all m * n * k differences.
        perf=({"m": 1024, "n": 1024, "k": 128},),
        tolerance=tolerances(("float32",), 4, 5e-4),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "distance": triton,
        },
    )


AFTER_DISTANCE = (
    None,
    # Distances are not negative.
    Operation("log1p", "take log(1 + x)", "torch.log1p({x})", "flog1p({x})"),
    *(one for one in UNARY if one.name in ("negate", "scale_by_2", "scale_scores",
                                            "tanh", "clamp", "temperature")),
)  # fmt: skip

DISTANCE_RECIPES = (
    Recipe(
        "pairwise-distance",
        _distance,
        kind=tuple(DISTANCES),
        way=("dot", "loop"),
        after=AFTER_DISTANCE,
        tile=TILES,
    ),
)
