"""Reductions of a chain's results: along rows, columns or a middle axis, or over all elements."""

from __future__ import annotations

from validation.pairs.recipes.blocks import SUMMANDS
from validation.pairs.recipes.chains import WAVES, Chain, answers_of, has_own_extreme
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.informative import answers, is_informative, stands_out
from validation.pairs.recipes.maps import is_widened, map_tolerances, matrix_sizes, widening
from validation.pairs.recipes.perf import SHORT_ROWS
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reduction_table import REDUCTIONS, Reduction
from validation.pairs.recipes.sketch import Argument, Sketch, Tolerance, tolerances


def reference_lines(
    chain: Chain, reduction: Reduction, dim: str, dtypes: tuple[str, ...]
) -> tuple[str, ...]:
    result = reduction.torch.format(y=chain.result, dim=dim).replace(", )", ")")
    if not _sums_widened(chain, reduction, dtypes):
        return (*chain.torch(), f"return {result}")
    floats = ("x", *(one.name for one in chain.further if one.draw != "mask"))
    return ("dtype = x.dtype", *widening(floats), *chain.torch(), f"return {result}.to(dtype)")


def _sums_widened(chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    """Return whether the reference computes in float32.

    Values of both signs cancel in a sum, but their rounding errors in a narrow type do not.
    """
    is_rounded = dtypes != ("float32",) and bool(chain.operations)
    return is_widened(chain, dtypes) or (is_rounded and reduction.name == "sum")


def _tolerance(chain: Chain, dtypes: tuple[str, ...], absolute: float) -> dict[str, Tolerance]:
    known = tolerances(dtypes, 1 + len(chain.operations), absolute)
    return known | {
        name: tolerance
        for name, tolerance in map_tolerances(chain, dtypes).items()
        if name != "float32"
    }


def _fits(chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    if reduction.grows and "float16" in dtypes:
        return False
    if not (chain.possible and shows_its_values(chain, reduction)):
        return False
    if reduction.name in ("max", "min") and not has_own_extreme(
        chain, largest=reduction.name == "max"
    ):
        return False
    if reduction.name == "max_abs" and chain.operations and chain.operations[-1].name in WAVES:
        return False
    results = answers_of(chain)
    # The absolute value of a non-negative value changes nothing.
    if chain.operations and chain.operations[-1].name in SIZES and reduction.is_even:
        return False
    takes_size = "abs" in reduction.each and bool(chain.operations)
    return not (takes_size and results is not None and bool((results >= 0).all()))


# Operations whose result is an absolute value.
SIZES = ("absolute", "absolute_error")
# Lower bound on summed values: their squares are smaller.
LEAST_OF_A_SUM = 0.02


def shows_its_values(chain: Chain, reduction: Reduction) -> bool:
    """Return whether the reduced value depends on the input.

    The minimum of many ReLUs is zero for any input, and so is that of thousands of hard sigmoids.
    So many inputs must not share the extreme. For sums, terms must vary: squares of signs are 1.
    """
    ordinary, far = (
        answers((f"y = {reduction.each.format(y='y')}",), y=answers_of(chain, kind))
        for kind in ("ordinary", "far")
    )
    if reduction.reduce not in ("frow_max", "frow_min"):
        return is_informative(ordinary, LEAST_OF_A_SUM, LEAST_OF_A_SUM / 2)
    largest = reduction.reduce == "frow_max"
    return all(values is None or stands_out(values, largest=largest) for values in (ordinary, far))


def _name(prefix: str, chain: Chain, reduction: Reduction) -> str:
    return named(prefix, chain.name, reduction.name)


def _row(
    chain: Chain, reduction: Reduction, walk: str, block: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    return Sketch(
        entry_point=_name("row", chain, reduction),
        summary=chain.sentence(f"{reduction.phrase} each row"),
        operation_type="reduction",
        tags=("reduction", "rows", *(("fused",) if chain.operations else ())),
        triton="reduce_rows",
        python=reference_lines(chain, reduction, "dim=-1", dtypes),
        arguments=(Argument("x", ("rows", "cols"), chain.draw), *chain.arguments(("rows", "cols"))),
        sizes=ROW_SIZES,
        perf=SHORT_ROWS if walk == "tile" else (),
        tolerance=_tolerance(chain, dtypes, 5e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "block_m": block[0],
            "block_n": block[1],
        },
    )


ROW_SIZES = (
    {"rows": 1, "cols": 1},
    {"rows": 5, "cols": 127},
    {"rows": 37, "cols": 300},
    {"rows": 70, "cols": 9},
    {"rows": 3, "cols": 1030},
)


def _column(
    chain: Chain, reduction: Reduction, walk: str, block: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    return Sketch(
        entry_point=_name("column", chain, reduction),
        summary=chain.sentence(f"{reduction.phrase} each column"),
        operation_type="reduction",
        tags=("reduction", "columns", *(("fused",) if chain.operations else ())),
        triton="reduce_columns",
        python=reference_lines(chain, reduction, "dim=0", dtypes),
        arguments=(Argument("x", ("rows", "cols"), chain.draw), *chain.arguments(("rows", "cols"))),
        sizes=(*matrix_sizes(16, 64)[:3], {"rows": 300, "cols": 33}, {"rows": 131, "cols": 1}),
        tolerance=_tolerance(chain, dtypes, 5e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "block_m": block[0],
            "block_n": block[1],
        },
    )


def _full(
    chain: Chain, reduction: Reduction, way: str, block_size: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    # Atomics can compute only sums, in any order, without a second pass.
    if way == "atomic" and (reduction.reduce != "tl.sum" or reduction.finish not in FINISHED):
        return None
    python = reference_lines(chain, reduction, "", dtypes)
    if way == "atomic":
        # Atomics add in float32, so the reference must too.
        python = tuple(
            line.replace(".to(dtype)", "") for line in python if line != "dtype = x.dtype"
        )
        if dtypes != ("float32",) and not _sums_widened(chain, reduction, dtypes):
            python = (
                *python[:-1],
                python[-1]
                .replace("return ", "return _")
                .replace(f"_{chain.result}", f"{chain.result}.float()"),
            )
    return Sketch(
        entry_point=_name("total", chain, reduction),
        summary=chain.sentence(f"{reduction.phrase} all elements"),
        operation_type="reduction",
        tags=("reduction", "whole", *(("atomics",) if way == "atomic" else ())),
        triton="reduce_all",
        python=python,
        arguments=(Argument("x", ("n",), chain.draw), *chain.arguments(("n",))),
        sizes=({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 5 * block_size + 3}, {"n": 9 * block_size}),
        tolerance=_tolerance(chain, dtypes, 2e-4),
    )


FINISHED = ("{r}", "{r} / {n}")


def _middle(
    chain: Chain, reduction: Reduction, walk: str, block_size: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    return Sketch(
        entry_point=_name("sequence", chain, reduction),
        summary=chain.sentence(f"{reduction.phrase} a (batch, seq, hidden) tensor along seq"),
        operation_type="reduction",
        tags=("reduction", "3d", *(("fused",) if chain.operations else ())),
        triton="reduce_middle",
        python=reference_lines(chain, reduction, "dim=1", dtypes),
        arguments=(
            Argument("x", ("batch", "seq", "hidden"), chain.draw),
            *chain.arguments(("batch", "seq", "hidden")),
        ),
        sizes=(
            {"batch": 1, "seq": 1, "hidden": 1},
            {"batch": 3, "seq": 31, "hidden": 17},
            {"batch": 2, "seq": 100, "hidden": 70},
            {"batch": 5, "seq": 7, "hidden": 200},
        ),
        tolerance=_tolerance(chain, dtypes, 5e-5),
        layouts=("contiguous", "strided", "transposed"),
    )


SHORT = tuple(chain for chain in SUMMANDS if not chain.further)
PAIRED = tuple(chain for chain in SUMMANDS if chain.further)

REDUCTION_RECIPES = (
    Recipe(
        "row-reduction",
        _row,
        chain=SHORT,
        reduction=REDUCTIONS,
        walk=("single", "persistent", "tile"),
        block=((4, 0), (8, 0), (2, 0)),
        dtypes=DTYPES,
    ),
    Recipe(
        "looped-row-reduction",
        _row,
        chain=SHORT,
        reduction=REDUCTIONS,
        walk=("vector", "tiles"),
        block=((8, 256), (4, 512), (16, 256), (1, 1024)),
        dtypes=DTYPES,
    ),
    Recipe(
        "paired-row-reduction",
        _row,
        chain=PAIRED,
        reduction=REDUCTIONS,
        walk=("single", "persistent", "tile", "vector", "tiles"),
        block=((8, 256), (4, 512)),
        dtypes=DTYPES,
    ),
    Recipe(
        "column-reduction",
        _column,
        chain=SUMMANDS,
        reduction=REDUCTIONS,
        walk=("tiles", "split"),
        block=((32, 64), (64, 32), (16, 128)),
        dtypes=DTYPES,
    ),
    Recipe(
        "full-reduction",
        _full,
        chain=SUMMANDS,
        reduction=REDUCTIONS,
        way=("persistent",),
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
    ),
    Recipe(
        "atomic-reduction",
        _full,
        chain=SUMMANDS,
        reduction=REDUCTIONS,
        way=("atomic",),
        block_size=(512, 1024, 2048),
        dtypes=(("float32",), ("bfloat16", "float32")),
    ),
    Recipe(
        "middle-reduction",
        _middle,
        chain=SUMMANDS,
        reduction=REDUCTIONS,
        walk=("grid", "flat"),
        block_size=(32, 64, 128),
        dtypes=DTYPES,
    ),
)
