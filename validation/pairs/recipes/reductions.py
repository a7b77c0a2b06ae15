"""Reductions of a chain's results: along rows, columns or a middle axis, or over all elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validation.pairs.recipes.blocks import SUMMANDS
from validation.pairs.recipes.chains import WAVES, Chain, answers_of, has_own_extreme
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.informative import answers, is_informative, stands_out
from validation.pairs.recipes.maps import in_float32, is_widened, map_tolerances, matrix_sizes
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
    return in_float32(("x", *chain.floats), chain.torch(), result)


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


ROW_SIZES = (
    {"rows": 1, "cols": 1},
    {"rows": 5, "cols": 127},
    {"rows": 37, "cols": 300},
    {"rows": 70, "cols": 9},
    {"rows": 3, "cols": 1030},
)
# The reduced part, the template, the axis in PyTorch, the shape, and sizes for tests.
PARTS: Mapping[str, tuple[str, str, str, tuple[str, ...], tuple[Mapping[str, int], ...]]] = {
    "row": ("each row", "rows", "dim=-1", ("rows", "cols"), ROW_SIZES),
    "column": (
        "each column",
        "columns",
        "dim=0",
        ("rows", "cols"),
        (*matrix_sizes(16, 64)[:3], {"rows": 300, "cols": 33}, {"rows": 131, "cols": 1}),
    ),
    "total": ("all elements", "all", "", ("n",), ({"n": 1}, {"n": 127}, {"n": 1000})),
    "sequence": (
        "a (batch, seq, hidden) tensor along seq",
        "middle",
        "dim=1",
        ("batch", "seq", "hidden"),
        (
            {"batch": 1, "seq": 1, "hidden": 1},
            {"batch": 3, "seq": 31, "hidden": 17},
            {"batch": 2, "seq": 100, "hidden": 70},
            {"batch": 5, "seq": 7, "hidden": 200},
        ),
    ),
}
TAGS = {"row": "rows", "column": "columns", "total": "whole", "sequence": "3d"}


def _reduce(
    part: str,
    chain: Chain,
    reduction: Reduction,
    dtypes: tuple[str, ...],
    walk: str = "",
    way: str = "",
    block_size: int = 0,
    **_: object,
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    # Atomics can compute only sums, in any order, without a second pass.
    atomic = way == "atomic"
    if atomic and (reduction.reduce != "tl.sum" or reduction.finish not in FINISHED):
        return None
    phrase, template, dim, shape, sizes = PARTS[part]
    python = reference_lines(chain, reduction, dim, dtypes)
    whole = part == "total"
    return Sketch(
        entry_point=named(part, chain.name, reduction.name),
        summary=chain.sentence(f"{reduction.phrase} {phrase}"),
        operation_type="reduction",
        tags=(
            *("reduction", TAGS[part]),
            *(("fused",) * (bool(chain.operations) and not whole)),
            *(("atomics",) * atomic),
        ),
        triton=f"reduce_{template}",
        python=_added_in_float32(python, chain, reduction, dtypes) if atomic else python,
        arguments=(Argument("x", shape, chain.draw), *chain.arguments(shape)),
        sizes=(*sizes, {"n": 5 * block_size + 3}, {"n": 9 * block_size}) if whole else sizes,
        perf=SHORT_ROWS if part == "row" and walk == "tile" else (),
        tolerance=_tolerance(chain, dtypes, 2e-4 if whole else 5e-5),
        layouts=("contiguous", "strided", *(("transposed",) * (not whole))),
    )


FINISHED = ("{r}", "{r} / {n}")


def _added_in_float32(
    python: tuple[str, ...], chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the reference's lines with a sum in float32, because atomics add in float32."""
    *lines, last = (line.replace(".to(dtype)", "") for line in python if line != "dtype = x.dtype")
    if dtypes != ("float32",) and not _sums_widened(chain, reduction, dtypes):
        last = last.replace(f"return {chain.result}", f"return {chain.result}.float()")
    return (*lines, last)


SHORT = tuple(chain for chain in SUMMANDS if not chain.further)
PAIRED = tuple(chain for chain in SUMMANDS if chain.further)
ROW_WALKS = ("single", "persistent", "tile")
LOOPED = ((8, 256), (4, 512), (16, 256), (1, 1024))


def _of_lines(
    name: str,
    part: str,
    chain: tuple[Chain, ...],
    walk: tuple[str, ...],
    block: tuple[tuple[int, int], ...],
) -> Recipe:
    return Recipe(
        name,
        _reduce,
        part=(part,),
        chain=chain,
        reduction=REDUCTIONS,
        walk=walk,
        block=block,
        dtypes=DTYPES,
    )


def _of_blocks(name: str, part: str, dtypes: Any = DTYPES, **axes: tuple[Any, ...]) -> Recipe:
    return Recipe(
        name, _reduce, part=(part,), chain=SUMMANDS, reduction=REDUCTIONS, **axes, dtypes=dtypes
    )


REDUCTION_RECIPES = (
    _of_lines("row-reduction", "row", SHORT, ROW_WALKS, ((4, 0), (8, 0), (2, 0))),
    _of_lines("looped-row-reduction", "row", SHORT, ("vector", "tiles"), LOOPED),
    _of_lines("paired-row-reduction", "row", PAIRED, (*ROW_WALKS, "vector", "tiles"), LOOPED[:2]),
    _of_lines(
        "column-reduction", "column", SUMMANDS, ("tiles", "split"), ((32, 64), (64, 32), (16, 128))
    ),
    _of_blocks("full-reduction", "total", way=("persistent",), block_size=(512, 1024, 2048)),
    _of_blocks(
        "atomic-reduction",
        "total",
        (("float32",), ("bfloat16", "float32")),
        way=("atomic",),
        block_size=(512, 1024, 2048),
    ),
    _of_blocks("middle-reduction", "sequence", walk=("grid", "flat"), block_size=(32, 64, 128)),
)
