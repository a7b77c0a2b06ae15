"""Ladders of row normalizations: from several passes to persistent programs that hold rows."""

from __future__ import annotations

from itertools import starmap

from validation.pairs.recipes.blocks import NAMED
from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.maps import ROUNDED
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


def chain_of(*names: str) -> Chain:
    return Chain(tuple(NAMED[name] for name in names))


# Operations before, statistic, weight and bias, operation after, and the rows for timing.
NORMALIZATIONS = (
    ((), "layer", ("weight", "bias"), "", "bfloat16", 8192, 4096),
    (("add_residual",), "layer", ("weight", "bias"), "", "float16", 8192, 4096),
    (("gelu",), "layer", ("weight",), "", "bfloat16", 16384, 1024),
    ((), "rms", ("weight",), "", "bfloat16", 262144, 128),
    (("silu_gate",), "rms", ("weight",), "", "bfloat16", 4096, 8192),
    (("add_residual",), "rms", ("weight",), "silu", "bfloat16", 8192, 2048),
    ((), "l2", (), "", "float16", 524288, 64),
)
PHRASES = {
    "layer": ("layer_norm", "apply layer normalization"),
    "rms": ("rms_norm", "apply RMS normalization"),
    "l2": ("l2_normalize", "scale each row to unit length"),
}
TORCH = {
    "layer": "F.layer_norm({y}, {y}.shape[-1:]{affine})",
    "rms": "F.rms_norm({y}, {y}.shape[-1:]{affine}, eps=1e-6)",
    "l2": "F.normalize({y}, dim=-1)",
}
THREE_PASSES = Rung(
    "three passes",
    "One warp a row, which reads the row three times in blocks of 128: mean, variance, result.",
    ("naive",),
)
RUNNING = Rung(
    "running statistics",
    "Mean and variance come from one pass in wide blocks, so each row is read twice, not three "
    "times.",
    ("welford",),
)
TWO_PASSES = Rung(
    "two passes",
    "One warp a row, which reads the row twice in blocks of 128: sum of squares, then result.",
    ("naive",),
)
IN_REGISTERS = Rung(
    "row in registers",
    "The whole row stays in registers between statistics and result, so memory is read once.",
)
SEVERAL_ROWS = Rung(
    "several rows",
    "A program takes as many rows as fill its threads, and loads the vectors once for all of them.",
    ("tiled",),
)
PERSISTENT = Rung(
    "persistent",
    "As many programs as the GPU runs at once take blocks of rows in turn, so that loads of the "
    "next rows overlap with the last stores; the number of rows is measured.",
    ("persistent", "autotuned"),
)
CONFIGS = tuple(({"BLOCK_M": m}, warps, 2) for m, warps in ((1, 4), (1, 8), (2, 8), (4, 8), (8, 8),
                                                            (16, 4), (32, 8)))  # fmt: skip
SIZES = ({"rows": 1, "cols": 1}, {"rows": 3, "cols": 31}, {"rows": 5, "cols": 130})


def _normalization(
    names: tuple[str, ...],
    statistic: str,
    vectors: tuple[str, ...],
    last_name: str,
    dtype: str,
    rows: int,
    cols: int,
) -> Ladder:
    before = chain_of(*names)
    after = NAMED[last_name] if last_name else None
    name, phrase = PHRASES[statistic]
    affine = "".join(f", {vector}" for vector in vectors)
    steps = [*before.torch(), f"y = {TORCH[statistic].format(y=before.result, affine=affine)}"]
    steps += [f"y = {after.torch.format(x='y')}"] if after else []
    steps[-1] = steps[-1].replace("y = ", "return ", 1)
    with_vectors = {(): "", ("weight",): " with a weight"}.get(vectors, " with weight and bias")
    ending = f"{phrase}{with_vectors}" + (f", then {after.phrase}" if after else "")
    dtypes = (dtype, "float32")
    known = tolerances(dtypes, 3 + len(names), 5e-5)
    first = (THREE_PASSES, RUNNING) if statistic == "layer" else (TWO_PASSES,)
    # A row with more than 2,048 values needs a program of its own.
    last = (SEVERAL_ROWS, PERSISTENT) if cols <= 2048 else (PERSISTENT,)
    is_short = cols <= 128
    configs = CONFIGS[4:] if is_short else CONFIGS[:3]
    return Ladder(
        Sketch(
            entry_point=named(before.name, name, last_name),
            summary=before.sentence(ending),
            operation_type="normalization",
            tags=("normalization", name.replace("_", "-"), "rows"),
            triton="norm",
            python=tuple(steps),
            arguments=(
                Argument("x", ("rows", "cols")),
                *before.arguments(("rows", "cols"), ("cols",)),
                *(Argument(vector, ("cols",)) for vector in vectors),
            ),
            sizes=SIZES,
            perf=({"rows": rows, "cols": cols},),
            dtypes=dtypes,
            tolerance={one: ROUNDED.get(one, tolerance) for one, tolerance in known.items()},
            layouts=("contiguous",),
            values={
                "chain": before,
                "statistic": statistic,
                "vectors": vectors,
                "after": after,
                "configs": configs,
            },
        ),
        (*first, IN_REGISTERS, *last),
    )


NORM_LADDERS = (
    LadderRecipe("ladder-normalization", tuple(starmap(_normalization, NORMALIZATIONS))),
)
