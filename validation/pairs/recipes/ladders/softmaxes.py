"""Ladders of softmax: three passes, online sum, rows in registers, several rows, persistent."""

from __future__ import annotations

from itertools import starmap

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.ladders.norms import chain_of
from validation.pairs.recipes.maps import widening
from validation.pairs.recipes.normalizations import NORMS
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

# Operations on the scores, kind, data type, and the shape of the rows for timing.
SOFTMAXES = (
    ((), "log_softmax", "bfloat16", 2048, 32000),
    (("scale_scores", "add_attention_mask"), "softmax", "float16", 16384, 1024),
    (("soft_cap",), "softmax", "bfloat16", 16384, 4096),
    (("temperature",), "softmax", "bfloat16", 512, 128256),
    (("scale_scores",), "sink_softmax", "bfloat16", 131072, 512),
    (("fill_masked",), "log_softmax", "float16", 131072, 256),
)
THREE_PASSES = Rung(
    "three passes",
    "One warp a row reads it three times, for the maximum, the sum and the result.",
    ("naive",),
)
ONLINE = Rung(
    "online",
    "Maximum and sum come from one pass, because the sum is rescaled when the maximum grows: two "
    "reads of a row instead of three.",
    ("online",),
)
IN_REGISTERS = Rung(
    "row in registers",
    "The row is loaded once into the registers of a program, so maximum, sum and result need no "
    "other read.",
)
SEVERAL_ROWS = Rung(
    "several rows",
    "A row fills only a part of a program, so each takes several; their number is measured.",
    ("tiled", "autotuned"),
)
PERSISTENT = Rung(
    "persistent",
    "Two programs for each SM take rows in turn, and the next row is loaded while one is written.",
    ("persistent",),
)
CONFIGS = tuple(({"BLOCK_M": m}, warps, 1) for m, warps in ((2, 2), (4, 4), (8, 4), (8, 8)))


def _softmax(names: tuple[str, ...], kind: str, dtype: str, rows: int, cols: int) -> Ladder:
    before = chain_of(*names)
    norm = next(norm for norm in NORMS if norm.name == kind)
    body = (*before.torch(), *(line.format(y=before.result) for line in norm.torch))
    dtypes = (dtype, "float32")
    return Ladder(
        Sketch(
            entry_point=named(before.name, norm.name),
            summary=before.sentence(norm.phrase),
            operation_type="softmax",
            tags=("softmax", norm.name.replace("_", "-"), "rows"),
            triton="softmax",
            python=(
                "dtype = x.dtype",
                *widening(("x", *before.floats)),
                *body,
                "return y.to(dtype)",
            ),
            arguments=(
                Argument("x", ("rows", "cols")),
                *before.arguments(("rows", "cols"), ("cols",)),
            ),
            sizes=({"rows": 1, "cols": 3}, {"rows": 3, "cols": 31}, {"rows": 5, "cols": 130}),
            perf=({"rows": rows, "cols": cols},),
            dtypes=dtypes,
            tolerance=tolerances(dtypes, 3 + len(names), 5e-5),
            layouts=("contiguous",),
            values={"chain": before, "kind": kind, "configs": CONFIGS},
        ),
        (THREE_PASSES, ONLINE, *_last(cols)),
    )


def _last(cols: int) -> tuple[Rung, ...]:
    """Return the last steps. A row with more than 65,536 values does not fit into registers."""
    if cols > 65536:
        return ()
    return (IN_REGISTERS, SEVERAL_ROWS if cols <= 1024 else PERSISTENT)


SOFTMAX_LADDERS = (LadderRecipe("ladder-softmax", tuple(starmap(_softmax, SOFTMAXES))),)
