"""Reductions of a chain's results: along rows, columns, a middle axis, or over all."""

from __future__ import annotations

from validation.pairs.recipes.chains import Chain, answers_of
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.informative import answers, is_informative, stands_out
from validation.pairs.recipes.maps import chains, matrix_sizes
from validation.pairs.recipes.operations import BINARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reduction_table import REDUCTIONS, Reduction
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY


def reference_lines(
    chain: Chain, reduction: Reduction, dim: str, dtypes: tuple[str, ...]
) -> tuple[str, ...]:
    names = ", ".join(("x", *chain.operands))
    result = reduction.torch.format(y=chain.result, dim=dim)
    if dtypes == ("float32",):
        return (*chain.torch(), f"return {result}")
    widened = ", ".join(f"{name}.float()" for name in ("x", *chain.operands))
    return ("dtype = x.dtype", f"{names} = {widened}", *chain.torch(), f"return {result}.to(dtype)")


def _fits(chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    if reduction.grows and "float16" in dtypes:
        return False
    return chain.possible and shows_its_values(chain, reduction)


# Bound for summed values: squares are smaller than their bases.
LEAST_OF_A_SUM = 0.02


def shows_its_values(chain: Chain, reduction: Reduction) -> bool:
    """Return whether the reduction depends on its values.

    The minimum of many ReLUs is zero for any input, and that of thousands of hard sigmoids too.
    So the extreme must not be a value that many inputs give. The squares of signs are ones.
    """
    ordinary, far = (
        answers((f"y = {reduction.each.format(y='y')}",), y=answers_of(chain, kind))
        for kind in ("ordinary", "far")
    )
    if reduction.reduce not in ("row_max", "row_min"):
        return is_informative(ordinary, LEAST_OF_A_SUM, LEAST_OF_A_SUM / 2)
    largest = reduction.reduce == "row_max"
    return all(values is None or stands_out(values, largest=largest) for values in (ordinary, far))


def _summary(where: str, chain: Chain, reduction: Reduction) -> str:
    of = f" of the results of: {chain.phrase}" if chain.operations else ""
    return f"For each {where}, {reduction.phrase}{of}."


def _name(prefix: str, chain: Chain, reduction: Reduction) -> str:
    return named(prefix, chain.name, reduction.name)


def _row(
    chain: Chain, reduction: Reduction, walk: str, block: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    names = ("x", *chain.operands)
    return Sketch(
        entry_point=_name("row", chain, reduction),
        summary=_summary("row", chain, reduction),
        operation_type="reduction",
        tags=("reduction", "rows", *(("fused",) if chain.operations else ())),
        triton="reduce_rows",
        python=reference_lines(chain, reduction, "dim=-1", dtypes),
        arguments=tuple(Argument(name, ("rows", "cols")) for name in names),
        sizes=ROW_SIZES,
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 1 + len(chain.operations), 5e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "chain": chain,
            "reduction": reduction,
            "walk": walk,
            "block_m": block[0],
            "block_n": block[1],
        },
    )


ROW_SIZES = (
    {"rows": 1, "cols": 1},
    {"rows": 5, "cols": 127},
    {"rows": 37, "cols": 300},
    {"rows": 70, "cols": 9},
    {"rows": 3, "cols": 1025},
)


def _column(
    chain: Chain, reduction: Reduction, walk: str, block: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    names = ("x", *chain.operands)
    return Sketch(
        entry_point=_name("column", chain, reduction),
        summary=_summary("column", chain, reduction),
        operation_type="reduction",
        tags=("reduction", "columns", *(("fused",) if chain.operations else ())),
        triton="reduce_columns",
        python=reference_lines(chain, reduction, "dim=0", dtypes),
        arguments=tuple(Argument(name, ("rows", "cols")) for name in names),
        sizes=(*matrix_sizes(16, 64)[:3], {"rows": 300, "cols": 33}, {"rows": 131, "cols": 1}),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 1 + len(chain.operations), 5e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "chain": chain,
            "reduction": reduction,
            "walk": walk,
            "block_m": block[0],
            "block_n": block[1],
        },
    )


def _full(
    chain: Chain, reduction: Reduction, way: str, block: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    # Only sums in any order without a second pass can be left to atomics.
    if way == "atomic" and (reduction.reduce != "tl.sum" or reduction.finish not in FINISHED):
        return None
    names = ("x", *chain.operands)
    out = "torch.zeros((), dtype=torch.float32)" if way == "atomic" else ""
    python = reference_lines(chain, reduction, "", dtypes)
    if way == "atomic":
        python = (*python[:-1], python[-1].replace(".to(dtype)", ""))
        python = tuple(line for line in python if line != "dtype = x.dtype")
    return Sketch(
        entry_point=_name("total", chain, reduction),
        summary=_summary("vector", chain, reduction),
        operation_type="reduction",
        tags=("reduction", "whole", *(("atomics",) if way == "atomic" else ())),
        triton="reduce_all",
        python=python,
        arguments=tuple(Argument(name, ("n",)) for name in names),
        sizes=({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 5 * block + 3}, {"n": 9 * block}),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 1 + len(chain.operations), 2e-4),
        values={
            "chain": chain,
            "reduction": reduction,
            "way": way,
            "block_size": block,
            "out": out,
        },
    )


FINISHED = ("{r}", "{r} / {n}")


def _middle(
    chain: Chain, reduction: Reduction, walk: str, block: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _fits(chain, reduction, dtypes):
        return None
    names = ("x", *chain.operands)
    return Sketch(
        entry_point=_name("middle", chain, reduction),
        summary=_summary("pair of outer and inner index, along the middle axis", chain, reduction),
        operation_type="reduction",
        tags=("reduction", "3d", *(("fused",) if chain.operations else ())),
        triton="reduce_middle",
        python=reference_lines(chain, reduction, "dim=1", dtypes),
        arguments=tuple(Argument(name, ("outer", "middle", "inner")) for name in names),
        sizes=(
            {"outer": 1, "middle": 1, "inner": 1},
            {"outer": 3, "middle": 31, "inner": 17},
            {"outer": 2, "middle": 100, "inner": 70},
            {"outer": 5, "middle": 7, "inner": 200},
        ),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 1 + len(chain.operations), 5e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={"chain": chain, "reduction": reduction, "walk": walk, "block_size": block},
    )


SOME = (Chain(()), *chains(UNARY))
PAIRS = (*chains(BINARY), *chains(BINARY, UNARY))
LONG = (*chains(UNARY, UNARY), *PAIRS)

REDUCTION_RECIPES = (
    Recipe(
        "row-reduction",
        _row,
        {
            "chain": (*SOME, *chains(UNARY, UNARY)),
            "reduction": REDUCTIONS,
            "walk": ("single", "persistent", "tile"),
            "block": ((4, 0), (8, 0)),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "looped-row-reduction",
        _row,
        {
            "chain": (*SOME, *chains(UNARY, UNARY)),
            "reduction": REDUCTIONS,
            "walk": ("vector", "scalar", "tiles"),
            "block": ((8, 64), (4, 128), (16, 256)),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "paired-row-reduction",
        _row,
        {
            "chain": PAIRS,
            "reduction": REDUCTIONS,
            "walk": ("single", "persistent", "tile", "vector", "scalar", "tiles"),
            "block": ((8, 64), (4, 128)),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "column-reduction",
        _column,
        {
            "chain": (*SOME, *LONG),
            "reduction": REDUCTIONS,
            "walk": ("tiles", "rows", "split"),
            "block": ((16, 64), (32, 32), (8, 128)),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "full-reduction",
        _full,
        {
            "chain": (*SOME, *LONG),
            "reduction": REDUCTIONS,
            "way": ("two_pass", "single"),
            "block": (256, 512, 1024),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "atomic-reduction",
        _full,
        {
            "chain": (*SOME, *LONG),
            "reduction": REDUCTIONS,
            "way": ("atomic",),
            "block": (256, 512),
            "dtypes": (("float32",), ("bfloat16", "float32")),
        },
    ),
    Recipe(
        "middle-reduction",
        _middle,
        {
            "chain": (*SOME, *LONG),
            "reduction": REDUCTIONS,
            "walk": ("grid", "flat"),
            "block": (32, 64, 128),
            "dtypes": DTYPES,
        },
    ),
)
