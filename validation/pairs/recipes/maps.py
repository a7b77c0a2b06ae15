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


SHAPES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "1d": {"full": ("n",)},
    "2d": {"full": ("rows", "cols"), "row": ("cols",), "column": ("rows",)},
    "3d": {"full": ("batch", "seq", "hidden"), "row": ("hidden",), "column": ("seq",)},
}


def _map(
    dims: str,
    chain: Chain,
    dtypes: tuple[str, ...],
    helper: bool,
    block_size: int = 0,
    tile: tuple[int, int] = (0, 0),
    outer: bool = False,
    **_: str,
) -> Sketch | None:
    """Return the sketch. If `outer`, the inputs are a column and a row instead of a matrix."""
    if not chain.possible:
        return None
    first = Operand("x", "column" if outer else "full", chain.draw)
    operands = (first, *(replace(o, kind="row") if outer else o for o in chain.further))
    views = {o.name: f"{o.name}[:, None]" for o in operands if o.kind == "column"}
    python = reference_lines(chain, dtypes, views)
    first_phrase, *phrases = chain.phrases
    is_chain = len(chain.operations) > 1
    is_broadcast = any(one.kind != "full" for one in operands)
    return Sketch(
        entry_point=f"{'outer_' * outer}{chain.name}{'_3d' * (dims == '3d')}",
        summary=sentence_of(f"{first_phrase} of elements of two vectors", *phrases)
        if outer
        else chain.sentence(),
        operation_type="element-wise",
        tags=(
            *("element-wise", dims),
            *(("fused",) * (is_chain and dims == "1d")),
            *(("broadcast",) * is_broadcast),
        ),
        triton=f"map_{dims}",
        python=("x = x[:, None]", *python) if outer else python,
        arguments=tuple(
            Argument(o.name, SHAPES[dims][o.kind], o.draw, "bool" if o.draw == "mask" else "")
            for o in operands
        ),
        sizes=matrix_sizes(*tile)
        if dims == "2d"
        else vector_sizes(block_size)
        if dims == "1d"
        else cube_sizes(block_size),
        tolerance=map_tolerances(chain, dtypes),
        layouts=("contiguous", "strided", *(("transposed",) * (dims != "1d" and not outer))),
        values={
            "helper": "_" + chain.name if helper and is_chain else "",
            "operands": operands,
            "steps": 4 if block_size < 1024 else 2,
            "integer": False,
            "shape_from": f"x.shape[0], {operands[1].name}.shape[0]" if outer else "x.shape",
        },
    )


def chains(*places: tuple[Operation, ...]) -> tuple[Chain, ...]:
    """Return all chains with one operation from each tuple."""
    choices: list[tuple[Operation, ...]] = [()]
    for place in places:
        choices = [(*before, one) for before in choices for one in place]
    return tuple(Chain(operations) for operations in choices)


SIMPLE = ("full",)
BROADCAST = tuple(
    chain for chain in BLOCKS if chain.further and any(o.kind != "full" for o in chain.further)
)
FLAT = only(BLOCKS, *SIMPLE)
FUSED = tuple(chain for chain in FLAT if len(chain.operations) == 2)
LONG_FUSED = tuple(chain for chain in FLAT if len(chain.operations) > 2)
AFTER_PAIRS = ("gaussian", "inverse_root", "relu", "tanh", "sigmoid", "softplus", "signed_log",
               "square", "clamp", "negate", "scale_by_2", "temperature")  # fmt: skip
PAIRS = (
    *chains(OUTER),
    *chains(OUTER, tuple(one for one in UNARY if one.name in AFTER_PAIRS)),
)

MAPS = (
    *(
        Recipe(
            name,
            _map,
            dims=("1d",),
            chain=chain,
            loop=LOOPS,
            block_size=blocks,
            dtypes=DTYPES,
            helper=helper,
        )
        for name, chain, blocks, helper in (
            ("unary-map", chains(UNARY), (512, 1024, 2048), (False, True)),
            ("binary-map", only(chains(BINARY), *SIMPLE), (512, 1024, 2048), (False,)),
            ("ternary-map", only(chains(TERNARY), *SIMPLE), (512, 1024), (False, True)),
            ("fused-map", FUSED, (512, 1024, 2048), (False, True)),
            ("long-fused-map", LONG_FUSED, (512, 1024), (False, True)),
        )
    ),
    *(
        Recipe(
            name,
            _map,
            dims=("2d",),
            outer=(name == "outer-map",),
            chain=chain,
            walk=("grid", "flat", "stripe"),
            tile=((16, 128), (32, 64), (8, 256), (64, 64)),
            dtypes=DTYPES,
            helper=(False, True),
        )
        for name, chain in (
            ("matrix-map", (*chains(ACTIVATIONS), *only(chains(BINARY), *SIMPLE), *FLAT)),
            ("broadcast-map", BROADCAST),
            ("outer-map", PAIRS),
        )
    ),
    Recipe(
        "cube-map",
        _map,
        dims=("3d",),
        chain=tuple(dict.fromkeys((*chains(BINARY), *SINGLES, *BLOCKS))),
        walk=("flat", "grid"),
        block_size=(256, 512, 1024),
        dtypes=DTYPES,
        helper=(False, True),
    ),
)
