"""Ladders of matrix products with an epilogue: from plain arithmetic to persistent programs."""

from __future__ import annotations

from itertools import starmap

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.ladders.norms import chain_of
from validation.pairs.recipes.matmuls import (
    LAYOUTS,
    PREFIXES,
    product_tolerance,
    reference,
    then,
)
from validation.pairs.recipes.sketch import Argument, Sketch

# Layout, epilogue, and the sizes m, n and k for timing.
PRODUCTS: tuple[tuple[str, tuple[str, ...], tuple[int, int, int]], ...] = (
    ("nt", ("add_bias", "gelu"), (4096, 4096, 4096)),
    ("nn", ("squared_relu",), (4096, 8192, 2048)),
    ("tn", ("scale_scores",), (4096, 4096, 8192)),
    ("nt", ("add_residual",), (2048, 4096, 11008)),
    ("nn", ("add_bias", "silu", "multiply"), (4096, 11008, 2048)),
    ("tt", ("tanh",), (2048, 8192, 4096)),
)
RUNGS = (
    Rung(
        "without tensor cores",
        "Products are multiplied and added up by ordinary arithmetic units, a 16th of the speed "
        "of tensor cores.",
        ("naive",),
    ),
    Rung(
        "tiled",
        "`tl.dot` multiplies blocks of 32 by 32 on the tensor cores.",
        ("tiled",),
    ),
    Rung(
        "grouped order",
        "Tiles of 128 by 128 reuse each load four times as often, and their order lets neighbors "
        "share rows and columns in L2.",
        ("tiled", "grouped-order"),
    ),
    Rung(
        "persistent",
        "One program for each SM takes tiles of measured shape in turn, so that no SM waits for a "
        "new program; loads need no masks for rows and columns.",
        ("persistent", "autotuned", "grouped-order"),
    ),
)
CONFIGS = tuple(
    ({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, warps, stages)
    for m, n, k, warps, stages in (
        (64, 64, 32, 4, 4), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3), (256, 128, 64, 8, 3),
        (128, 128, 32, 4, 4),
    )
)  # fmt: skip


def _product(layout: str, names: tuple[str, ...], timed: tuple[int, int, int]) -> Ladder:
    chain = chain_of(*names)
    return Ladder(
        Sketch(
            entry_point=named(PREFIXES[layout], chain.name),
            summary=then(f"Multiply {LAYOUTS[layout]}", chain),
            operation_type="matmul",
            tags=("matmul", "epilogue"),
            triton="product",
            python=reference(layout, chain),
            arguments=(
                Argument("a", ("m", "k") if layout[0] == "n" else ("k", "m")),
                Argument("b", ("k", "n") if layout[1] == "n" else ("n", "k")),
                *chain.arguments(("m", "n"), ("n",)),
            ),
            sizes=(
                {"m": 1, "n": 1, "k": 1},
                {"m": 17, "n": 31, "k": 13},
                {"m": 33, "n": 97, "k": 50},
            ),
            perf=(dict(zip("mnk", timed, strict=True)),),
            # The compiler unrolls exact float32 products, which would need other tiles.
            dtypes=("float16",),
            tolerance=product_tolerance(("float16",)),
            layouts=("contiguous", "strided"),
            values={"chain": chain, "layout": layout, "configs": CONFIGS},
        ),
        RUNGS,
    )


PRODUCT_LADDERS = (LadderRecipe("ladder-matmul", tuple(starmap(_product, PRODUCTS))),)
