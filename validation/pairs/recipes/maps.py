"""Element-wise recipes: one to three operations on vectors, matrices and 3D tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from validation.pairs.recipes.blocks import BLOCKS, SINGLES, only
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.operation import Operand, Operation
from validation.pairs.recipes.operations import BINARY, OUTER, TERNARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import FLOATS, Argument, Sketch, Tolerance, tolerances
from validation.pairs.recipes.unary import ACTIVATIONS, UNARY

DTYPES = (("float32",), ("float16", "float32"), ("bfloat16",), FLOATS)
LOOPS = ("none", "unrolled", "grid_stride", "share")
ROUNDINGS = 2
"""Most operations of a reference that rounds each. With more, it computes in float32."""


def is_widened(chain: Chain, dtypes: tuple[str, ...]) -> bool:
    """Return whether the reference computes the chain in float32, with one rounding at the end."""
    return dtypes != ("float32",) and len(chain.operations) > ROUNDINGS


def widening(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return lines that convert these tensors to float32, at most three in a line."""
    return tuple(
        f"{', '.join(some)} = {', '.join(f'{name}.float()' for name in some)}"
        for some in (names[start : start + 3] for start in range(0, len(names), 3))
    )


def in_float32(
    names: tuple[str, ...], lines: tuple[str, ...], result: str = "y", more: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return lines that convert these tensors to float32, and the result to the original type.

    more: additional results, which stay float32.
    """
    returned = ", ".join((f"{result}.to(dtype)", *more))
    return (f"dtype = {names[0]}.dtype", *widening(names), *lines, f"return {returned}")


def reference_lines(
    chain: Chain, dtypes: tuple[str, ...], views: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return PyTorch's lines for a chain."""
    steps = chain.torch(views=views)
    if not is_widened(chain, dtypes):
        return (*steps[:-1], f"return {steps[-1].removeprefix('y = ')}")
    return in_float32(("x", *chain.floats), steps)


def map_tolerances(chain: Chain, dtypes: tuple[str, ...]) -> dict[str, Tolerance]:
    """Return the tolerance of a chain. It grows with each rounding to a narrow type."""
    known = tolerances(dtypes, len(chain.operations))
    if is_widened(chain, dtypes):
        return known
    return {name: ROUNDED.get(name, tolerance) for name, tolerance in known.items()}


ROUNDED = {"float16": (4e-3, 4e-3), "bfloat16": (2e-2, 2e-2)}


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


def cube_sizes(block: int) -> tuple[dict[str, int], ...]:
    return (
        {"batch": 1, "seq": 1, "hidden": 1},
        {"batch": 3, "seq": 5, "hidden": 7},
        {"batch": 4, "seq": 6, "hidden": 150},
        {"batch": 2, "seq": 3, "hidden": 2 * block + 1},
    )


def _map_1d(
    chain: Chain, loop: str, block_size: int, dtypes: tuple[str, ...], helper: bool
) -> Sketch | None:
    if not chain.possible:
        return None
    return Sketch(
        entry_point=chain.name,
        summary=chain.sentence(),
        operation_type="element-wise",
        tags=("element-wise", "1d", *(("fused",) if len(chain.operations) > 1 else ())),
        triton="map_1d",
        python=reference_lines(chain, dtypes),
        arguments=(Argument("x", ("n",), chain.draw), *chain.arguments(("n",))),
        sizes=vector_sizes(block_size),
        tolerance=map_tolerances(chain, dtypes),
        values={
            "helper": "_" + chain.name if helper and len(chain.operations) > 1 else "",
            "steps": 4 if block_size < 1024 else 2,
            "integer": False,
        },
    )


def _map_2d(
    chain: Chain,
    walk: str,
    tile: tuple[int, int],
    dtypes: tuple[str, ...],
    helper: bool,
    outer: bool = False,
) -> Sketch | None:
    """Return the sketch. If `outer`, the inputs are a column and a row instead of a matrix."""
    if not chain.possible:
        return None
    block_m, block_n = tile
    first = Operand("x", "column" if outer else "full", chain.draw)
    further = tuple(replace(o, kind="row") if outer else o for o in chain.further)
    operands = (first, *further)
    shapes = {"full": ("rows", "cols"), "row": ("cols",), "column": ("rows",)}
    views = {o.name: f"{o.name}[:, None]" for o in operands if o.kind == "column"}
    python = reference_lines(chain, dtypes, views)
    first_phrase, *phrases = chain.phrases
    return Sketch(
        entry_point=f"{'outer_' if outer else ''}{chain.name}",
        summary=sentence_of(f"{first_phrase} of elements of two vectors", *phrases)
        if outer
        else chain.sentence(),
        operation_type="element-wise",
        tags=(
            *("element-wise", "2d"),
            *(("broadcast",) if any(one.kind != "full" for one in operands) else ()),
        ),
        triton="map_2d",
        python=("x = x[:, None]", *python) if outer else python,
        arguments=tuple(
            Argument(o.name, shapes[o.kind], o.draw, "bool" if o.draw == "mask" else "")
            for o in operands
        ),
        sizes=matrix_sizes(block_m, block_n),
        tolerance=map_tolerances(chain, dtypes),
        layouts=("contiguous", "strided") if outer else ("contiguous", "strided", "transposed"),
        values={
            "helper": "_" + chain.name if helper and len(chain.operations) > 1 else "",
            "operands": operands,
            "block_m": block_m,
            "block_n": block_n,
            "shape_from": "x.shape" if not outer else f"x.shape[0], {operands[1].name}.shape[0]",
        },
    )


def _outer(
    chain: Chain, walk: str, tile: tuple[int, int], dtypes: tuple[str, ...], helper: bool
) -> Sketch | None:
    return _map_2d(chain, walk, tile, dtypes, helper, outer=True)


def _map_3d(
    chain: Chain, walk: str, block_size: int, dtypes: tuple[str, ...], helper: bool
) -> Sketch | None:
    if not chain.possible:
        return None
    operands = (Operand("x", draw=chain.draw), *chain.further)
    shapes = {"full": ("batch", "seq", "hidden"), "row": ("hidden",), "column": ("seq",)}
    views = {o.name: f"{o.name}[:, None]" for o in operands if o.kind == "column"}
    return Sketch(
        entry_point=f"{chain.name}_3d",
        summary=chain.sentence(),
        operation_type="element-wise",
        tags=(
            *("element-wise", "3d"),
            *(("broadcast",) if any(one.kind != "full" for one in operands) else ()),
        ),
        triton="map_3d",
        python=reference_lines(chain, dtypes, views),
        arguments=tuple(
            Argument(o.name, shapes[o.kind], o.draw, "bool" if o.draw == "mask" else "")
            for o in operands
        ),
        sizes=cube_sizes(block_size),
        tolerance=map_tolerances(chain, dtypes),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "helper": "_" + chain.name if helper and len(chain.operations) > 1 else "",
            "operands": operands,
        },
    )


def chains(*places: tuple[Operation, ...]) -> tuple[Chain, ...]:
    """Return all chains with one operation from each tuple."""
    choices: list[tuple[Operation, ...]] = [()]
    for place in places:
        choices = [(*before, one) for before in choices for one in place]
    return tuple(Chain(operations) for operations in choices)


TILES = ((16, 128), (32, 64), (8, 256), (64, 64))
WALKS = ("grid", "flat", "stripe")
SIMPLE = ("full",)
BROADCAST = tuple(
    chain for chain in BLOCKS if chain.further and any(o.kind != "full" for o in chain.further)
)
FLAT = only(BLOCKS, *SIMPLE)
AFTER_PAIRS = ("gaussian", "inverse_root", "relu", "tanh", "sigmoid", "softplus", "signed_log",
               "square", "clamp", "negate", "scale_by_2", "temperature")  # fmt: skip

MAPS = (
    Recipe(
        "unary-map",
        _map_1d,
        chain=chains(UNARY),
        loop=LOOPS,
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "binary-map",
        _map_1d,
        chain=only(chains(BINARY), *SIMPLE),
        loop=LOOPS,
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
        helper=(False,),
    ),
    Recipe(
        "ternary-map",
        _map_1d,
        chain=only(chains(TERNARY), *SIMPLE),
        loop=LOOPS,
        block_size=(512, 1024),
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "fused-map",
        _map_1d,
        chain=tuple(chain for chain in FLAT if len(chain.operations) == 2),
        loop=LOOPS,
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "long-fused-map",
        _map_1d,
        chain=tuple(chain for chain in FLAT if len(chain.operations) > 2),
        loop=LOOPS,
        block_size=(512, 1024),
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "matrix-map",
        _map_2d,
        chain=(*chains(ACTIVATIONS), *only(chains(BINARY), *SIMPLE), *FLAT),
        walk=WALKS,
        tile=TILES,
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "broadcast-map",
        _map_2d,
        chain=BROADCAST,
        walk=WALKS,
        tile=TILES,
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "outer-map",
        _outer,
        chain=(
            *chains(OUTER),
            *chains(OUTER, tuple(one for one in UNARY if one.name in AFTER_PAIRS)),
        ),
        walk=WALKS,
        tile=TILES,
        dtypes=DTYPES,
        helper=(False, True),
    ),
    Recipe(
        "cube-map",
        _map_3d,
        chain=tuple(dict.fromkeys((*chains(BINARY), *SINGLES, *BLOCKS))),
        walk=("flat", "grid"),
        block_size=(256, 512, 1024),
        dtypes=DTYPES,
        helper=(False, True),
    ),
)
