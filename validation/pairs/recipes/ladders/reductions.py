"""Ladders of reductions: over each row, each column, or all elements."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import starmap

from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


@dataclass(frozen=True, slots=True)
class LadderReduction:
    """Function of each element, and its reduction along an axis."""

    name: str
    phrase: str
    torch: str
    """An expression with `{dim}`, the arguments of the reduction."""
    expression: str
    """The term in Triton."""
    inputs: tuple[str, ...] = ("x",)
    join: str = "sum"
    finish: str = ""
    """The result from `total` and `n_cols`, the number of terms."""
    masked: bool = False
    """Whether the term of a masked lane, loaded as 0, would change the result."""


MEAN_ABSOLUTE = LadderReduction(
    "mean_absolute", "the mean absolute value", "x.abs().mean({dim})", "tl.abs(x)",
    finish="total / n_cols",
)  # fmt: skip
NORM = LadderReduction(
    "norm", "the Euclidean norm", "x.square().sum({dim}).sqrt()", "x * x", finish="tl.sqrt(total)"
)
SQUARES = LadderReduction("sum_of_squares", "the sum of squares", "x.square().sum({dim})", "x * x")
LARGEST = LadderReduction(
    "largest_magnitude", "the largest absolute value", "x.abs().amax({dim})", "tl.abs(x)",
    join="max", masked=True,
)  # fmt: skip
SQUARED_ERROR = LadderReduction(
    "mean_squared_error", "the mean squared error", "(x - y).square().mean({dim})",
    "(x - y) * (x - y)", ("x", "y"), finish="total / n_cols",
)  # fmt: skip
DOT = LadderReduction("dot", "the dot product", "(x * y).sum({dim})", "x * y", ("x", "y"))
ROOT_MEAN_SQUARE = LadderReduction(
    "root_mean_square", "the root mean square", "x.square().mean({dim}).sqrt()", "x * x",
    finish="tl.sqrt(total / n_cols)",
)  # fmt: skip
ABSOLUTE_ERROR = LadderReduction(
    "mean_absolute_error", "the mean absolute error", "(x - y).abs().mean({dim})", "tl.abs(x - y)",
    ("x", "y"), finish="total / n_cols",
)  # fmt: skip
SOFTPLUS = LadderReduction(
    "mean_softplus", "the mean of softplus", "F.softplus(x).mean({dim})",
    "fmax(x, 0.0) + flog1p(tl.exp(-tl.abs(x)))", finish="total / n_cols", masked=True,
)  # fmt: skip

STEP_BY_STEP = Rung(
    "reduced step by step",
    "One warp a row, which reduces each block of 128 values to a number before it loads the next.",
    ("naive",),
)
BY_LANES = Rung(
    "a total for each lane",
    "Wide blocks and a total in each lane: values are joined across threads once, not in every "
    "step.",
)
SIDE_BY_SIDE = Rung(
    "rows side by side",
    "A row is too short for a program, so a tile of measured shape takes several rows.",
    ("tiled", "autotuned"),
)
PARTS = Rung(
    "parts of a row",
    "There are fewer rows than SMs, so several programs share a row and a second kernel joins "
    "them.",
    ("split", "two-stage"),
)
EIGHT_WARPS = Rung(
    "eight warps a row",
    "A program of eight warps takes one row, which is so short that most threads have no value.",
    ("naive",),
    "a total for each lane",
)
ONE_WARP = Rung(
    "one warp a row",
    "One warp takes a row, so no thread idles and the sum needs no shared memory.",
    code="reduced step by step",
)
ROW_AFTER_ROW = Rung(
    "row after row",
    "Each thread walks down one column with one load under way, so it waits for memory at each "
    "row.",
    ("naive",),
)
TILES = Rung(
    "tiles",
    "Each step loads a tile of 64 rows instead of one row, so that many loads are under way at "
    "once.",
    ("tiled",),
)
ROWS_IN_PARTS = Rung(
    "rows in parts",
    "Columns alone give too few programs, so the rows are split among programs, too; tiles are "
    "measured.",
    ("split", "two-stage", "autotuned"),
)
ONE_PROGRAM = Rung(
    "one program",
    "A single program walks over the whole tensor, with one load under way at a time.",
    ("naive",),
)
ATOMICS = Rung(
    "atomic additions",
    "Every block has a program and adds its sum to the result, one atomic addition after the "
    "other.",
    ("atomics",),
)
TWO_STAGES = Rung(
    "two stages",
    "Sums of blocks go to places of their own, without waiting for one another, and a second "
    "kernel adds them up.",
    ("two-stage",),
)
PERSISTENT = Rung(
    "persistent",
    "Four programs for each SM keep a sum in each lane over many blocks, so only some hundred "
    "sums are left to join.",
    ("persistent", "autotuned"),
)
ROW_TILES = tuple(({"BLOCK_M": m, "BLOCK_N": n}, warps, 2) for m, n, warps in (
    (8, 128, 4), (16, 128, 4), (32, 64, 4), (4, 512, 4), (64, 64, 8)))  # fmt: skip
COLUMN_TILES = tuple(({"BLOCK_M": m, "BLOCK_N": n}, warps, 2) for m, n, warps in (
    (16, 64, 4), (32, 64, 4), (16, 128, 4), (32, 128, 8), (8, 256, 8)))  # fmt: skip
BLOCKS = tuple(({"BLOCK_SIZE": n}, warps, 2) for n, warps in ((1024, 4), (2048, 4), (4096, 8),
                                                              (8192, 16)))  # fmt: skip

Shape = tuple[int, int]
Along = tuple[LadderReduction, Shape, str]
LONG_ROWS: tuple[Along, ...] = (
    (MEAN_ABSOLUTE, (16, 4194304), "bfloat16"),
    (NORM, (32, 1048576), "float32"),
    (SQUARED_ERROR, (8, 3145728), "bfloat16"),
)
SHORT_ROWS: tuple[Along, ...] = (
    (LARGEST, (524288, 128), "bfloat16"),
    (DOT, (262144, 128), "float16"),
    (ROOT_MEAN_SQUARE, (131072, 256), "bfloat16"),
)
COLUMNS: tuple[Along, ...] = (
    (SQUARES, (16384, 4096), "bfloat16"),
    (DOT, (8192, 4096), "float16"),
    (LARGEST, (8192, 8192), "bfloat16"),
    (MEAN_ABSOLUTE, (32768, 1024), "float32"),
    (SQUARED_ERROR, (8192, 2048), "float32"),
)
WHOLE: tuple[tuple[LadderReduction, int], ...] = (
    (SQUARES, 4096 * 11008),
    (SQUARED_ERROR, 8 * 1024 * 4096),
    (DOT, 4096 * 4096),
    (ABSOLUTE_ERROR, 16 * 3 * 512 * 512),
    (SOFTPLUS, 4096 * 8192),
)


def _along_rows(reduction: LadderReduction, shape: Shape, dtype: str) -> Ladder:
    is_short = shape[1] <= 512
    return Ladder(
        _along("row", "dim=1", reduction, shape, dtype, ROW_TILES),
        (EIGHT_WARPS, ONE_WARP, SIDE_BY_SIDE) if is_short else (STEP_BY_STEP, BY_LANES, PARTS),
    )


def _along_columns(reduction: LadderReduction, shape: Shape, dtype: str) -> Ladder:
    return Ladder(
        _along("column", "dim=0", reduction, shape, dtype, COLUMN_TILES),
        (ROW_AFTER_ROW, TILES, ROWS_IN_PARTS),
    )


def _along(
    line: str, dim: str, reduction: LadderReduction, shape: Shape, dtype: str, configs: object
) -> Sketch:
    dtypes = tuple(dict.fromkeys((dtype, "float32")))
    rows, cols = shape
    return Sketch(
        entry_point=f"{line}_{reduction.name}",
        summary=f"Compute {reduction.phrase} of each {line}.",
        operation_type="reduction",
        tags=("reduction", f"{line}s"),
        triton=f"{line}_reduction",
        python=_lines(reduction, dim),
        arguments=tuple(Argument(name, ("rows", "cols")) for name in reduction.inputs),
        sizes=({"rows": 1, "cols": 1}, {"rows": 3, "cols": 150}, {"rows": 20, "cols": 9}),
        perf=({"rows": rows, "cols": cols},),
        dtypes=dtypes,
        tolerance=dict.fromkeys(dtypes, tolerances(("float32",), 3, 1e-4)["float32"]),
        layouts=("contiguous",),
        values={**_values(reduction), "configs": configs},
    )


def _whole(reduction: LadderReduction, n: int) -> Ladder:
    return Ladder(
        Sketch(
            entry_point=f"tensor_{reduction.name}",
            summary=f"Compute {reduction.phrase} of all elements.",
            operation_type="reduction",
            tags=("reduction", "whole"),
            triton="whole_reduction",
            python=_lines(reduction, ""),
            arguments=tuple(Argument(name, ("n",)) for name in reduction.inputs),
            sizes=({"n": 1}, {"n": 1000}, {"n": 5003}),
            perf=({"n": n},),
            dtypes=("float32",),
            tolerance=tolerances(("float32",), 3, 1e-3),
            layouts=("contiguous",),
            values={
                **_values(reduction),
                "configs": BLOCKS,
                "pointers": ", ".join(f"{name}_ptr" for name in reduction.inputs),
            },
        ),
        (ONE_PROGRAM, ATOMICS, TWO_STAGES, PERSISTENT),
    )


def _lines(reduction: LadderReduction, dim: str) -> tuple[str, ...]:
    inputs = ", ".join(reduction.inputs)
    floats = ", ".join(f"{name}.float()" for name in reduction.inputs)
    widening = (f"{inputs} = {floats}",) if dim else ()
    return (*widening, f"return {reduction.torch.format(dim=dim)}")


def _values(reduction: LadderReduction) -> dict[str, object]:
    return {
        "inputs": reduction.inputs,
        "expression": reduction.expression,
        "join": reduction.join,
        "finish": reduction.finish,
        "masked": reduction.masked,
    }


REDUCTION_LADDERS = (
    LadderRecipe("ladder-row-reduction", tuple(starmap(_along_rows, (*LONG_ROWS, *SHORT_ROWS)))),
    LadderRecipe("ladder-column-reduction", tuple(starmap(_along_columns, COLUMNS))),
    LadderRecipe("ladder-whole-reduction", tuple(starmap(_whole, WHOLE))),
)
