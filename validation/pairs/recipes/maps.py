"""Element-wise recipes: one to three operations over vectors, matrices and cubes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import BINARY, TERNARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import FLOATS, Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY

DTYPES = (("float32",), ("float16", "float32"), ("bfloat16",), FLOATS)
LOOPS = ("none", "unrolled", "grid_stride", "share")


@dataclass(frozen=True, slots=True)
class Operand:
    name: str
    kind: str
    """Alignment with the output: full, row, column, last, middle."""


def reference_lines(
    chain: Chain, dtypes: tuple[str, ...], views: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return a chain in PyTorch. Narrow floats are widened once and narrowed once."""
    views = views or {}
    names = ("x", *chain.operands)
    if dtypes == ("float32",):
        lines = [f"{n} = {views[n].format(n)}" for n in names if n in views]
        steps = chain.torch()
        return (*lines, *steps[:-1], f"return {steps[-1].removeprefix('y = ')}")
    if (
        len(chain.operations) == 1
        and not views
        and SINGLE_CALL.fullmatch(chain.operations[0].torch)
    ):
        return (f"return {chain.torch()[0].removeprefix('y = ')}",)
    widened = ", ".join(views.get(n, "{}").format(f"{n}.float()") for n in names)
    return (
        "dtype = x.dtype",
        f"{', '.join(names)} = {widened}",
        *chain.torch(),
        "return y.to(dtype)",
    )


SINGLE_CALL = re.compile(
    r"(torch|F)\.(relu|abs|sin|cos|erf|sigmoid|tanh|maximum|minimum)\([^()]*\)"
)


def vector_sizes(block: int) -> tuple[dict[str, int], ...]:
    return ({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 4 * block}, {"n": 21 * block + 13})


def matrix_sizes(block_m: int, block_n: int) -> tuple[dict[str, int], ...]:
    return (
        {"rows": 1, "cols": 1},
        {"rows": 7, "cols": 61},
        {"rows": 2 * block_m + 3, "cols": 2 * block_n + 5},
        {"rows": 37, "cols": 1},
        {"rows": 3 * block_m, "cols": 130},
    )


CUBE_SIZES = (
    {"size_i": 1, "size_j": 1, "size_k": 1},
    {"size_i": 3, "size_j": 5, "size_k": 7},
    {"size_i": 4, "size_j": 6, "size_k": 150},
    {"size_i": 2, "size_j": 13, "size_k": 257},
)


def _map_1d(
    chain: Chain, loop: str, block: int, dtypes: tuple[str, ...], helper: bool
) -> Sketch | None:
    if not chain.possible:
        return None
    names = ("x", *chain.operands)
    return Sketch(
        entry_point=chain.name,
        summary=f"Each element of a vector: {chain.phrase}.",
        operation_type="element-wise",
        tags=("element-wise", "1d", *(("fused",) if len(chain.operations) > 1 else ())),
        triton="map_1d",
        python=reference_lines(chain, dtypes),
        arguments=tuple(Argument(name, ("n",)) for name in names),
        sizes=vector_sizes(block),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, len(chain.operations)),
        values={
            "chain": chain,
            "helper": "_" + chain.name if helper else "",
            "loop": loop,
            "block_size": block,
            "steps": 4 if block < 512 else 2,
            "programs": 16,
            "warps": 8 if block == 1024 and loop == "none" else 0,
            "integer": False,
        },
    )


def _map_2d(
    chain: Chain,
    kinds: tuple[str, ...],
    walk: str,
    tile: tuple[int, int],
    dtypes: tuple[str, ...],
    helper: bool,
) -> Sketch | None:
    """Return the sketch.

    The first operand is the matrix, unless the operands are a column and a row.
    """
    if not chain.possible or len(kinds) != 1 + len(chain.operands):
        return None
    block_m, block_n = tile
    operands = [Operand(n, k) for n, k in zip(("x", *chain.operands), kinds, strict=True)]
    shapes = {"full": ("rows", "cols"), "row": ("cols",), "column": ("rows",)}
    outer = kinds[0] == "column"
    views = {o.name: "{}[:, None]" for o in operands if o.kind == "column"}
    over = "pair of two vectors' elements" if outer else "element of a matrix"
    return Sketch(
        entry_point=f"{'outer_' if outer else ''}{chain.name}",
        summary=f"Each {over}: {chain.phrase}.",
        operation_type="element-wise",
        tags=("element-wise", "2d", *(("broadcast",) if set(kinds) != {"full"} else ())),
        triton="map_2d",
        python=reference_lines(chain, dtypes, views),
        arguments=tuple(Argument(o.name, shapes[o.kind]) for o in operands),
        sizes=matrix_sizes(block_m, block_n),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, len(chain.operations)),
        layouts=("contiguous", "strided") if outer else ("contiguous", "strided", "transposed"),
        values={
            "chain": chain,
            "helper": "_" + chain.name if helper else "",
            "operands": operands,
            "walk": walk,
            "block_m": block_m,
            "block_n": block_n,
            "shape_from": "x.shape" if not outer else f"x.shape[0], {operands[1].name}.shape[0]",
        },
    )


def _map_3d(
    chain: Chain,
    kinds: tuple[str, ...],
    walk: str,
    block: int,
    dtypes: tuple[str, ...],
    helper: bool,
) -> Sketch | None:
    if not chain.possible or len(kinds) != 1 + len(chain.operands):
        return None
    operands = [Operand(n, k) for n, k in zip(("x", *chain.operands), kinds, strict=True)]
    shapes = {"full": ("size_i", "size_j", "size_k"), "last": ("size_k",), "middle": ("size_j",)}
    views = {o.name: "{}[:, None]" for o in operands if o.kind == "middle"}
    return Sketch(
        entry_point=f"{chain.name}_3d",
        summary=f"Each element of a cube: {chain.phrase}.",
        operation_type="element-wise",
        tags=("element-wise", "3d", *(("broadcast",) if set(kinds) != {"full"} else ())),
        triton="map_3d",
        python=reference_lines(chain, dtypes, views),
        arguments=tuple(Argument(o.name, shapes[o.kind]) for o in operands),
        sizes=CUBE_SIZES,
        dtypes=dtypes,
        tolerance=tolerances(dtypes, len(chain.operations)),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "chain": chain,
            "helper": "_" + chain.name if helper else "",
            "operands": operands,
            "walk": walk,
            "block_size": block,
        },
    )


def chains(*places: tuple[Operation, ...]) -> tuple[Chain, ...]:
    """Return every choice of one operation for each place."""
    choices: list[tuple[Operation, ...]] = [()]
    for place in places:
        choices = [(*before, one) for before in choices for one in place]
    return tuple(Chain(operations) for operations in choices)


TILES = ((16, 64), (32, 32), (8, 128), (64, 16))
KINDS_2 = (("full", "row"), ("full", "column"))
KINDS_3 = (("full", "row", "column"), ("full", "full", "row"), ("full", "column", "full"))

MAPS = (
    Recipe(
        "unary-map",
        _map_1d,
        {
            "chain": chains(UNARY),
            "loop": LOOPS,
            "block": (256, 512, 1024),
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "binary-map",
        _map_1d,
        {
            "chain": chains(BINARY),
            "loop": LOOPS,
            "block": (256, 1024),
            "dtypes": DTYPES,
            "helper": (False,),
        },
    ),
    Recipe(
        "ternary-map",
        _map_1d,
        {
            "chain": (*chains(TERNARY), *chains(TERNARY, UNARY)),
            "loop": LOOPS,
            "block": (256, 1024),
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "fused-map",
        _map_1d,
        {
            "chain": (*chains(UNARY, BINARY), *chains(BINARY, UNARY)),
            "loop": LOOPS,
            "block": (256, 512, 1024),
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "long-fused-map",
        _map_1d,
        {
            "chain": (*chains(UNARY, BINARY, UNARY), *chains(BINARY, UNARY, BINARY)),
            "loop": LOOPS,
            "block": (256, 1024),
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "matrix-map",
        _map_2d,
        {
            "chain": (*chains(UNARY, UNARY), *chains(UNARY, UNARY, UNARY)),
            "kinds": (("full",),),
            "walk": ("grid", "flat", "stripe"),
            "tile": TILES,
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "broadcast-map",
        _map_2d,
        {
            "chain": (*chains(BINARY, UNARY), *chains(UNARY, BINARY), *chains(BINARY, BINARY)),
            "kinds": KINDS_2 + KINDS_3,
            "walk": ("grid", "flat", "stripe"),
            "tile": TILES,
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "outer-map",
        _map_2d,
        {
            "chain": (*chains(BINARY), *chains(BINARY, UNARY), *chains(BINARY, UNARY, UNARY)),
            "kinds": (("column", "row"),),
            "walk": ("grid", "flat", "stripe"),
            "tile": TILES,
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
    Recipe(
        "cube-map",
        _map_3d,
        {
            "chain": (*chains(UNARY, UNARY), *chains(BINARY, UNARY), *chains(UNARY, BINARY, UNARY)),
            "kinds": (("full",), ("full", "last"), ("full", "middle"), ("full", "full")),
            "walk": ("flat", "grid"),
            "block": (128, 512),
            "dtypes": DTYPES,
            "helper": (False, True),
        },
    ),
)
