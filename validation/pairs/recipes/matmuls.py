"""Matrix products: layouts, program orders, splits of the inner dimension, epilogues."""

from __future__ import annotations

from collections.abc import Mapping

from validation.pairs.recipes.blocks import EPILOGUES, only
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import ADD_BIAS
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import ACTIVATIONS

# Not bfloat16: Triton's interpreter multiplies its bits as integers. Half precision is listed more
# often, as in models. Exact float32 is several times slower than cuBLAS.
DTYPES = (("float32",), ("float16",), ("float16",), ("float16",))
LAYOUTS = {
    "nn": "two matrices",
    "nt": "a matrix by the transpose of another",
    "tn": "the transpose of a matrix by another",
    "tt": "the transposes of two matrices",
}
PREFIXES = {"nn": "matmul", "nt": "linear", "tn": "matmul_tn", "tt": "matmul_tt"}


def matmul_sizes(tile: tuple[int, int, int]) -> tuple[dict[str, int], ...]:
    """Return sizes. The last ones need several tiles and several steps of the inner loop."""
    block_m, block_n, block_k = tile
    return (
        {"m": 1, "n": 1, "k": 1},
        {"m": 17, "n": 31, "k": 13},
        {"m": 70, "n": 45, "k": 64},
        {"m": block_m + 6, "n": block_n + 6, "k": 2 * block_k + 3},
    )


# Number of tiles in a group in the grouped order, as in the templates.
GROUP_M = 8
GROUPED = ("grouped", "persistent")


def product(layout: str, wide: bool) -> str:
    """Return PyTorch's expression for a product; float32 for all types if `wide`."""
    left = {"n": "a", "t": "a.T"}[layout[0]]
    right = {"n": "b", "t": "b.T"}[layout[1]]
    if wide:
        return f"{left} @ {right}"
    return f"{left.replace('a', 'a.float()')} @ {right.replace('b', 'b.float()')}"


def reference(layout: str, epilogue: Chain) -> tuple[str, ...]:
    """Return the reference's lines, computed in the type of its inputs."""
    line = f"x = {product(layout, wide=True)}"
    if layout == "nt":
        line = "x = F.linear(a, b)"
        if epilogue.operations[:1] == (ADD_BIAS,):
            line = "x = F.linear(a, b, bias)"
            epilogue = Chain(epilogue.operations[1:])
    if not epilogue.operations:
        return (line.replace("x =", "return"),)
    return (line, *_last(epilogue, COLUMN_VIEWS))


COLUMN_VIEWS = {"token_weight": "token_weight[:, None]"}


def _last(epilogue: Chain, views: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return an epilogue's lines. The last one is the return statement."""
    *lines, last = epilogue.torch(views=views)
    return (*lines, last.replace("y =", "return", 1))


def _matmul(
    layout: str,
    order: str,
    chain: Chain,
    tile: tuple[int, int, int],
    dtypes: tuple[str, ...],
    batched: bool,
) -> Sketch | None:
    if not is_smooth(chain) or not has_registers(tile, dtypes):
        return None
    batch = ("batch",) * batched
    sizes: tuple[dict[str, int], ...] = matmul_sizes(tile)
    if batched:
        counts = (1, 3, 2)
        chosen = (*sizes[:2], sizes[-1])
        sizes = tuple({"batch": n, **size} for n, size in zip(counts, chosen, strict=True))
    elif order in GROUPED:
        sizes = (*sizes, _second_group(tile))
    return Sketch(
        entry_point=named("batched_matmul" if batched else PREFIXES[layout], chain.name),
        summary=then(
            f"multiply {'two batches of matrices' if batched else LAYOUTS[layout]}", chain
        ),
        operation_type="matmul",
        tags=(
            *("matmul", "batched" if batched else order),
            *(("epilogue",) if chain.operations else ()),
        ),
        triton="matmul",
        python=_batched_reference(chain) if batched else reference(layout, chain),
        arguments=(
            Argument("a", (*batch, *(("m", "k") if layout[0] == "n" else ("k", "m")))),
            Argument(
                "b",
                (*batch, *(("k", "n") if layout[1] == "n" else ("n", "k"))),
                "factor",
                bound="k",
            ),
            *chain.arguments((*batch, "m", "n"), ("n",), ("m",)),
        ),
        sizes=sizes,
        tolerance=product_tolerance(dtypes),
        layouts=("contiguous", "strided", "transposed"),
    )


def _batched_reference(chain: Chain) -> tuple[str, ...]:
    if not chain.operations:
        return ("return torch.bmm(a, b)",)
    first = "x = torch.bmm(a, b)" if len(chain.operations) % 2 else "x = a @ b"
    return (first, *_last(chain, COLUMN_VIEWS))


def _second_group(tile: tuple[int, int, int]) -> dict[str, int]:
    return {"m": GROUP_M * tile[0] + 3, "n": tile[1] + 1, "k": 16}


def then(phrase: str, chain: Chain) -> str:
    return sentence_of(phrase, *chain.phrases)


def is_smooth(epilogue: Chain) -> bool:
    return all(one.smooth for one in epilogue.operations) and epilogue.possible


def has_registers(tile: tuple[int, int, int], dtypes: tuple[str, ...]) -> bool:
    """Return whether a tile size suits the data types.

    Tensor cores need large tiles. Exact float32 products keep the full tile in registers.
    """
    elements = tile[0] * tile[1]
    return elements <= 64 * 64 if "float32" in dtypes else elements >= 64 * 64


def product_tolerance(dtypes: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    known = tolerances(dtypes, 2, 1e-4)
    return {name: ROUNDED_PRODUCTS.get(name, tolerance) for name, tolerance in known.items()}


# The reference rounds after the product and after each further operation.
ROUNDED_PRODUCTS = {"float16": (1e-2, 1e-2), "bfloat16": (3e-2, 3e-2)}


def _split_k(
    layout: str, way: str, after: Operation | None, tile: tuple[int, int, int], **_: object
) -> Sketch | None:
    if (way == "atomic") != (after is None) or (after is not None and not after.smooth):
        return None
    python = reference(layout, Chain((after,) if after else ()))
    return Sketch(
        entry_point=named("split_k", PREFIXES[layout], after.name if after else ""),
        summary=then(f"multiply {LAYOUTS[layout]}", Chain((after,) if after else ())),
        operation_type="matmul",
        tags=("matmul", "split-k", *(("atomics",) if way == "atomic" else ())),
        triton="matmul_split_k",
        python=tuple(python),
        arguments=(
            Argument("a", ("m", "k") if layout[0] == "n" else ("k", "m")),
            Argument("b", ("k", "n") if layout[1] == "n" else ("n", "k"), "factor", bound="k"),
        ),
        sizes=(*matmul_sizes(tile), {"m": 16, "n": 20, "k": 500}),
        # Decoding of 16 or 32 sequences, in layers of Llama 2 7B.
        perf=({"m": 16, "n": 4096, "k": 4096}, {"m": 32, "n": 4096, "k": 11008}),
        tolerance=tolerances(("float32",), 2, 2e-4),
        layouts=("contiguous", "strided", "transposed"),
    )


def _matvec(
    side: str, walk: str, chain: Chain, block: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not is_smooth(chain) or (side == "left" and walk == "row"):
        return None
    # Rows are read in long blocks; along a column, only blocks with few rows fit into registers.
    if (side == "left") != (block[1] <= 64) or (walk == "row") != (
        block[0] == 1 and side == "right"
    ):
        return None
    line = "x = a @ v" if side == "right" else "x = v @ a"
    out, inner = ("m", "n") if side == "right" else ("n", "m")
    name, factors = (
        ("matvec", "a matrix by a vector")
        if side == "right"
        else ("vecmat", "a vector by a matrix")
    )
    return Sketch(
        entry_point=named(name, chain.name),
        summary=then(f"multiply {factors}", chain),
        operation_type="matmul",
        tags=("matmul", "matrix-vector"),
        triton="matvec",
        python=(
            (line, *_last(chain)) if chain.operations else (line.replace("x =", "return"),)
        ),
        arguments=(
            Argument("a", ("m", "n")),
            Argument("v", (inner,), "factor", bound=inner),
            *chain.arguments((out,)),
        ),
        sizes=(
            {"m": 1, "n": 1}, {"m": 17, "n": 31}, {"m": 130, "n": 70},
            {"m": 37, "n": 2 * block[1] + 5}
            if side == "right"
            else {"m": 2 * block[1] + 5, "n": 37},
        ),
        tolerance=product_tolerance(dtypes),
        layouts=("contiguous", "strided"),
        )  # fmt: skip


TILES = (
    (32, 32, 32), (64, 32, 32), (32, 64, 32), (64, 64, 32), (64, 64, 64), (128, 64, 32),
    (64, 128, 32), (128, 128, 32), (128, 128, 64),
)  # fmt: skip
BY_VECTORS = only(EPILOGUES, "full", "row", draws=("normal", "positive"))
AFTER_SPLIT = (None, *(chain.operations[0] for chain in chains(ACTIVATIONS)))

MATMUL_RECIPES = (
    Recipe(
        "matmul",
        _matmul,
        layout=tuple(LAYOUTS),
        order=("grouped", "grouped", "grouped", "grid", "persistent"),
        chain=EPILOGUES,
        tile=TILES,
        dtypes=DTYPES,
        batched=(False,),
    ),
    Recipe(
        "batched-matmul",
        _matmul,
        layout=("nn",),
        order=("rows",),
        chain=EPILOGUES,
        tile=TILES,
        dtypes=DTYPES,
        batched=(True,),
    ),
    Recipe(
        "split-k-matmul",
        _split_k,
        layout=tuple(LAYOUTS),
        way=("atomic", "workspace"),
        after=AFTER_SPLIT,
        tile=TILES,
        splits=(2, 4, 8),
    ),
    Recipe(
        "matrix-vector",
        _matvec,
        side=("right", "left"),
        walk=("tile", "row"),
        chain=BY_VECTORS,
        block=((32, 32), (32, 64), (8, 256), (4, 512), (1, 1024)),
        dtypes=(("float32",), ("bfloat16", "float32"), ("float16",)),
    ),
)
