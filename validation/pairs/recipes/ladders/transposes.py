"""Ladders of transposes, alone or after a few operations on each element."""

from __future__ import annotations

from itertools import starmap

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.ladders.norms import chain_of
from validation.pairs.recipes.maps import map_tolerances
from validation.pairs.recipes.sketch import Argument, Sketch

# Operations, data type, and the shape for timing.
TRANSPOSES: tuple[tuple[tuple[str, ...], str, tuple[int, ...]], ...] = (
    ((), "float16", (64, 768, 784)),
    (("rescale_pixels",), "float32", (32, 1024, 1024)),
    (("add_bias", "gelu"), "bfloat16", (8192, 4096)),
    (("add_residual",), "float16", (4096, 11008)),
)
RUNGS = (
    Rung(
        "row by row",
        "Rows are read in order, but each store goes to a cache line of its own.",
        ("naive",),
    ),
    Rung(
        "tiled",
        "A tile of 32 by 32 is turned inside a program, so both loads and stores fill cache lines.",
        ("tiled",),
    ),
    Rung(
        "measured tiles",
        "The shape of the tile is measured, from 32 by 32 to 128 by 64, and programs go down the "
        "columns of the input, so that their stores follow one another.",
        ("tiled", "autotuned"),
    ),
)
CONFIGS = tuple(({"BLOCK_M": m, "BLOCK_N": n}, warps, 2) for m, n, warps in (
    (32, 32, 4), (64, 64, 4), (64, 64, 8), (128, 32, 8), (32, 128, 8), (128, 64, 8)))  # fmt: skip


def _transpose(names: tuple[str, ...], dtype: str, shape: tuple[int, ...]) -> Ladder:
    chain = chain_of(*names)
    dtypes = tuple(dict.fromkeys((dtype, "float32")))
    batched = len(shape) == 3
    axes = ("batch", "rows", "cols") if batched else ("rows", "cols")
    steps = chain.torch()
    turned = f"{chain.result}.transpose(1, 2)" if batched else f"{chain.result}.T"
    what = "the matrices of a batch" if batched else "the matrix"
    sizes: tuple[tuple[int, ...], ...] = ((1, 1, 1), (2, 3, 31), (3, 40, 70))
    perf = (dict(zip(axes, shape, strict=True)),)
    return Ladder(
        Sketch(
            entry_point=named(chain.name, "batched" if batched else "", "transpose"),
            summary=chain.sentence(f"transpose {what}"),
            operation_type="other",
            tags=("transpose", *(("batched",) if batched else ())),
            triton="transpose",
            python=(*steps, f"return {turned}.contiguous()"),
            arguments=(Argument("x", axes), *chain.arguments(axes, ("cols",))),
            sizes=tuple(dict(zip(axes, size[-len(axes) :], strict=True)) for size in sizes),
            perf=perf,
            dtypes=dtypes,
            tolerance=map_tolerances(chain, dtypes),
            layouts=("contiguous",),
            values={"chain": chain, "batched": batched, "configs": CONFIGS},
        ),
        RUNGS,
    )


TRANSPOSE_LADDERS = (LadderRecipe("ladder-transpose", tuple(starmap(_transpose, TRANSPOSES))),)
