"""Ladders of row normalizations: from several passes to persistent programs that hold rows."""

from __future__ import annotations

from dataclasses import dataclass

from validation.pairs.recipes.blocks import NAMED
from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.maps import ROUNDED
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


def chain_of(*names: str) -> Chain:
    return Chain(tuple(NAMED[name] for name in names))


@dataclass(frozen=True, slots=True)
class Normalization:
    """One ladder: the operations around a normalization, and the shape of the rows for timing."""

    before: tuple[str, ...]
    statistic: str
    """layer, rms or l2."""
    vectors: tuple[str, ...] = ()
    after: str = ""
    dtype: str = "bfloat16"
    rows: int = 8192
    cols: int = 4096


NORMALIZATIONS = (
    Normalization((), "layer", ("weight", "bias")),
    Normalization(("add_residual",), "layer", ("weight", "bias"), dtype="float16"),
    Normalization(("gelu",), "layer", ("weight",), rows=16384, cols=1024),
    Normalization((), "rms", ("weight",), rows=262144, cols=128),
    Normalization(("silu_gate",), "rms", ("weight",), rows=4096, cols=8192),
    Normalization(("add_residual",), "rms", ("weight",), "silu", rows=8192, cols=2048),
    Normalization((), "l2", rows=524288, cols=64, dtype="float16"),
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
WHY = ("More rows a block hide latency, until they no longer fit into the registers.",)
CONFIGS = tuple(({"BLOCK_M": m}, warps, 2) for m, warps in ((1, 4), (1, 8), (2, 8), (4, 8), (8, 8),
                                                            (16, 4), (32, 8)))  # fmt: skip
SIZES = ({"rows": 1, "cols": 1}, {"rows": 3, "cols": 31}, {"rows": 5, "cols": 130})


def _normalization(of: Normalization) -> Ladder:
    before = chain_of(*of.before)
    after = NAMED[of.after] if of.after else None
    name, phrase = PHRASES[of.statistic]
    affine = "".join(f", {vector}" for vector in of.vectors)
    steps = [*before.torch(), f"y = {TORCH[of.statistic].format(y=before.result, affine=affine)}"]
    steps += [f"y = {after.torch.format(x='y')}"] if after else []
    steps[-1] = steps[-1].replace("y = ", "return ", 1)
    with_vectors = {(): "", ("weight",): " with a weight"}.get(of.vectors, " with weight and bias")
    ending = f"{phrase}{with_vectors}" + (f", then {after.phrase}" if after else "")
    dtypes = (of.dtype, "float32")
    known = tolerances(dtypes, 3 + len(of.before), 5e-5)
    first = (THREE_PASSES, RUNNING) if of.statistic == "layer" else (TWO_PASSES,)
    # A row with more than 2,048 values needs a program of its own.
    last = (SEVERAL_ROWS, PERSISTENT) if of.cols <= 2048 else (PERSISTENT,)
    is_short = of.cols <= 128
    configs = CONFIGS[4:] if is_short else CONFIGS[:3]
    return Ladder(
        Sketch(
            entry_point=named(before.name, name, of.after),
            summary=before.sentence(ending),
            operation_type="normalization",
            tags=("normalization", name.replace("_", "-"), "rows"),
            triton="norm",
            python=tuple(steps),
            arguments=(
                Argument("x", ("rows", "cols")),
                *before.arguments(("rows", "cols"), ("cols",)),
                *(Argument(vector, ("cols",)) for vector in of.vectors),
            ),
            sizes=SIZES,
            perf=({"rows": of.rows, "cols": of.cols},),
            dtypes=dtypes,
            tolerance={one: ROUNDED.get(one, tolerance) for one, tolerance in known.items()},
            layouts=("contiguous",),
            values={
                "chain": before,
                "statistic": of.statistic,
                "vectors": of.vectors,
                "after": after,
                "configs": configs,
                "why": WHY,
            },
        ),
        (*first, IN_REGISTERS, *last),
    )


NORM_LADDERS = (LadderRecipe("ladder-normalization", _normalization, {"of": NORMALIZATIONS}),)
