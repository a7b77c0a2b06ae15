"""Matrix products: layouts, program orders, splits of the inner dimension, epilogues."""

from __future__ import annotations

import numpy as np

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.informative import ORDINARY, answers, is_informative
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import BINARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY

# Not bfloat16: Triton's interpreter multiplies the bits of such blocks as integers.
DTYPES = (("float32",), ("float16",), ("float16", "float32"))
LAYOUTS = {"nn": "a @ b", "nt": "a @ b.T", "tn": "a.T @ b", "tt": "a.T @ b.T"}

MATMUL_SIZES = (
    {"m": 1, "n": 1, "k": 1},
    {"m": 17, "n": 31, "k": 13},
    {"m": 70, "n": 45, "k": 64},
    {"m": 33, "n": 97, "k": 50},
)

EPILOGUES = (Chain(()), *chains(UNARY), *chains(BINARY), *chains(BINARY, UNARY))


def product(layout: str, wide: bool) -> str:
    """Return PyTorch's expression for a product, in float32 for all types."""
    left = {"n": "a", "t": "a.T"}[layout[0]]
    right = {"n": "b", "t": "b.T"}[layout[1]]
    if wide:
        return f"{left} @ {right}"
    return f"{left.replace('a', 'a.float()')} @ {right.replace('b', 'b.float()')}"


def tail(epilogue: Chain, kind: str, wide: bool, like: str = "a") -> tuple[str, ...]:
    """Return the last lines.

    `wide`: all values are float32 or float64 already. Otherwise the result gets the type of
    `like`.
    """
    view = "" if wide else ".float()"
    view += "[:, None]" if kind == "column" else ""
    views = [f"{n} = {n}{view}" for n in epilogue.operands if view]
    ending = "" if wide else f".to({like}.dtype)"
    return (*views, *epilogue.torch(), f"return {epilogue.result}{ending}")


def _matmul(
    layout: str,
    order: str,
    epilogue: Chain,
    kind: str,
    tile: tuple[int, int, int],
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if not _possible(epilogue, kind):
        return None
    after = f", then {epilogue.phrase}" if epilogue.operations else ""
    wide = dtypes == ("float32",)
    shapes = {"row": ("n",), "column": ("m",), "full": ("m", "n"), "": ()}[kind]
    return Sketch(
        entry_point=named(f"matmul_{layout}", epilogue.name),
        summary=f"The product {LAYOUTS[layout]}{after}.",
        operation_type="matmul",
        tags=("matmul", order.replace("_", "-"), *(("epilogue",) if epilogue.operations else ())),
        triton="matmul",
        python=(f"x = {product(layout, wide)}", *tail(epilogue, kind, wide)),
        arguments=(
            Argument("a", ("m", "k") if layout[0] == "n" else ("k", "m")),
            Argument("b", ("k", "n") if layout[1] == "n" else ("n", "k")),
            *(Argument(name, shapes) for name in epilogue.operands),
        ),
        sizes=MATMUL_SIZES,
        dtypes=dtypes,
        tolerance=_tolerance(dtypes),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "layout": layout,
            "order": order,
            "chain": epilogue,
            "kind": kind,
            "tile": tile,
            "batched": False,
        },
    )


def _possible(epilogue: Chain, kind: str) -> bool:
    """Return whether the epilogue is smooth, and has a shape exactly if it has operands."""
    smooth = all(operation.smooth for operation in epilogue.operations)
    return smooth and epilogue.possible and bool(kind) == bool(epilogue.operands)


def _tolerance(dtypes: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    return tolerances(dtypes, 2, 1e-4) | ({"float16": (4e-3, 4e-3)} if "float16" in dtypes else {})


def _batched(
    epilogue: Chain, kind: str, tile: tuple[int, int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not _possible(epilogue, kind) or kind == "column":
        return None
    after = f", then {epilogue.phrase}" if epilogue.operations else ""
    shapes = {"row": ("n",), "full": ("batch", "m", "n"), "": ()}[kind]
    wide = dtypes == ("float32",)
    return Sketch(
        entry_point=named("batched_matmul", epilogue.name),
        summary=f"A product of matrices for each of a batch{after}.",
        operation_type="matmul",
        tags=("matmul", "batched", *(("epilogue",) if epilogue.operations else ())),
        triton="matmul",
        python=("x = a @ b" if wide else "x = a.float() @ b.float()", *tail(epilogue, kind, wide)),
        arguments=(
            Argument("a", ("batch", "m", "k")),
            Argument("b", ("batch", "k", "n")),
            *(Argument(name, shapes) for name in epilogue.operands),
        ),
        sizes=(
            {"batch": 1, "m": 1, "n": 1, "k": 1},
            {"batch": 3, "m": 17, "n": 31, "k": 13},
            {"batch": 2, "m": 40, "n": 70, "k": 33},
        ),
        dtypes=dtypes,
        tolerance=_tolerance(dtypes),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "layout": "nn",
            "order": "rows",
            "chain": epilogue,
            "kind": kind,
            "tile": tile,
            "batched": True,
        },
    )


def _split_k(
    layout: str, way: str, after: Operation | None, tile: tuple[int, int, int], splits: int
) -> Sketch | None:
    if (way == "atomic") != (after is None) or (after is not None and not after.smooth):
        return None
    python = [f"x = {product(layout, True)}"]
    python.append(f"return {after.torch.format(x='x')}" if after else "return x")
    return Sketch(
        entry_point=named(f"split_k_{layout}", after.name if after else ""),
        summary=f"The product {LAYOUTS[layout]}, its inner dimension shared by {splits} programs"
        + (f", then {after.phrase}." if after else "."),
        operation_type="matmul",
        tags=("matmul", "split-k", *(("atomics",) if way == "atomic" else ())),
        triton="matmul_split_k",
        python=tuple(python),
        arguments=(
            Argument("a", ("m", "k") if layout[0] == "n" else ("k", "m")),
            Argument("b", ("k", "n") if layout[1] == "n" else ("n", "k")),
        ),
        sizes=(*MATMUL_SIZES, {"m": 16, "n": 20, "k": 500}),
        tolerance=tolerances(("float32",), 2, 2e-4),
        layouts=("contiguous", "strided", "transposed"),
        values={"layout": layout, "way": way, "after": after, "tile": tile, "splits": splits},
    )


def _matvec(
    side: str, walk: str, epilogue: Chain, block: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not all(operation.smooth for operation in epilogue.operations) or not epilogue.possible:
        return None
    after = f", then {epilogue.phrase}" if epilogue.operations else ""
    wide = dtypes == ("float32",)
    matrix, vector = ("a", "v") if wide else ("a.float()", "v.float()")
    line = f"x = {matrix} @ {vector}" if side == "right" else f"x = {vector} @ {matrix}"
    out, inner = ("m", "n") if side == "right" else ("n", "m")
    name, factors = (
        ("matvec", "matrix times a vector")
        if side == "right"
        else ("vecmat", "vector times a matrix")
    )
    return Sketch(
        entry_point=named(name, epilogue.name),
        summary=f"A {factors}{after}.",
        operation_type="matmul",
        tags=("matmul", "matrix-vector"),
        triton="matvec",
        python=(line, *tail(epilogue, "row", wide)),
        arguments=(
            Argument("a", ("m", "n")),
            Argument("v", (inner,)),
            *(Argument(name, (out,)) for name in epilogue.operands),
        ),
        sizes=({"m": 1, "n": 1}, {"m": 17, "n": 31}, {"m": 130, "n": 70}, {"m": 37, "n": 301}),
        dtypes=dtypes,
        tolerance=_tolerance(dtypes) | tolerances(("bfloat16",)) if "bfloat16" in dtypes
        else _tolerance(dtypes),
        layouts=("contiguous", "strided"),
        values={"side": side, "walk": walk, "chain": epilogue, "block": block},
    )  # fmt: skip


DISTANCES = {
    "squared": ("the squared distance", "squares", "squares"),
    "euclidean": (
        "the distance",
        "torch.sqrt(torch.clamp(squares, min=1e-4))",
        "tl.sqrt(fmax(squares, 1e-4))",
    ),
    "gaussian": ("the Gaussian kernel", "torch.exp(-0.05 * squares)", "tl.exp(-0.05 * squares)"),
    "inverse": ("the inverse quadratic kernel", "1.0 / (1.0 + squares)", "1.0 / (1.0 + squares)"),
    "student": (
        "the square root of the inverse quadratic kernel",
        "torch.rsqrt(1.0 + squares)",
        "tl.rsqrt(1.0 + squares)",
    ),
    "laplace": (
        "the Laplace kernel",
        "torch.exp(-0.3 * torch.sqrt(torch.clamp(squares, min=1e-4)))",
        "tl.exp(-0.3 * tl.sqrt(fmax(squares, 1e-4)))",
    ),
}


SATURATING = (
    *("erf", "tanh", "sigmoid", "softsign", "hard_tanh", "hard_sigmoid", "log_sigmoid"),
    *("gaussian", "decay", "relu6", "clamp", "inverse_root", "reciprocal"),
)

# Range of a kernel that falls with the distance, between rows of some dozens of columns.
NEARNESS = np.linspace(0.0, 0.2, ORDINARY.size)


def _shows_little(after: Operation) -> bool:
    """Return whether small values remain distinguishable."""
    return is_informative(answers(Chain((after,)).triton(), x=NEARNESS, y=NEARNESS), 0.05, 0.01)


def _distance(
    kind: str, way: str, after: Operation | None, tile: tuple[int, int, int]
) -> Sketch | None:
    if after is not None and not after.smooth:
        return None
    # For large numbers these give only 1 or 0, and a test would notice no mistake.
    if kind in ("squared", "euclidean") and after is not None and after.name in SATURATING:
        return None
    if kind not in ("squared", "euclidean") and after is not None and not _shows_little(after):
        return None
    phrase, torch, triton = DISTANCES[kind]
    expanded = [
        "squares = a.square().sum(dim=-1)[:, None] + b.square().sum(dim=-1) - 2.0 * a @ b.t()",
        "squares = torch.clamp(squares, min=0.0)",
    ]
    direct = [
        "difference = a[:, None, :] - b[None, :, :]",
        "squares = difference.square().sum(dim=-1)",
    ]
    python = [
        # Each as its kernel computes it, because infinities come out differently.
        *(expanded if way == "dot" else direct),
        f"y = {torch}",
        *([f"y = {after.torch.format(x='y')}"] if after else []),
        "return y",
    ]
    return Sketch(
        entry_point=named(kind, "distances", after.name if after else ""),
        summary=f"For each row of a and each row of b, {phrase}"
        + (f", then {after.phrase}." if after else "."),
        operation_type="matmul",
        tags=("distance", "pairwise"),
        triton="distances",
        python=tuple(python),
        arguments=(Argument("a", ("m", "k")), Argument("b", ("n", "k"))),
        sizes=MATMUL_SIZES,
        tolerance=tolerances(("float32",), 4, 5e-4),
        layouts=("contiguous", "strided", "transposed"),
        values={"way": way, "distance": triton, "after": after, "tile": tile},
    )


TILES = ((16, 16, 16), (32, 32, 16), (32, 16, 32), (64, 32, 16))

MATMUL_RECIPES = (
    Recipe(
        "matmul",
        _matmul,
        {
            "layout": tuple(LAYOUTS),
            "order": ("grid", "rows", "grouped", "persistent"),
            "epilogue": EPILOGUES,
            "kind": ("", "row", "column", "full"),
            "tile": TILES,
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "batched-matmul",
        _batched,
        {
            "epilogue": EPILOGUES,
            "kind": ("", "row", "full"),
            "tile": TILES,
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "split-k-matmul",
        _split_k,
        {
            "layout": tuple(LAYOUTS),
            "way": ("atomic", "workspace"),
            "after": (None, *UNARY),
            "tile": TILES,
            "splits": (2, 4, 8),
        },
    ),
    Recipe(
        "matrix-vector",
        _matvec,
        {
            "side": ("right", "left"),
            "walk": ("vector", "tile", "row"),
            "epilogue": EPILOGUES,
            "block": ((16, 64), (32, 32), (8, 128)),
            "dtypes": (("float32",), ("bfloat16", "float32"), ("float16",)),
        },
    ),
    Recipe(
        "pairwise-distance",
        _distance,
        {
            "kind": tuple(DISTANCES),
            "way": ("dot", "loop"),
            "after": (None, *UNARY),
            "tile": TILES,
        },
    ),
)
