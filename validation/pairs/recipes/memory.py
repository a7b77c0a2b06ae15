"""Data movement: gather, scatter, transpose, shift, flip, triangles, segments."""

from __future__ import annotations

from validation.pairs.recipes.blocks import (
    FEED_FORWARD,
    GATED,
    RESIDUALS,
    SERIES,
    SINGLES,
    only,
)
from validation.pairs.recipes.chains import Chain, answers_of, sentence_of
from validation.pairs.recipes.choices import ONE, named
from validation.pairs.recipes.informative import answers, is_informative
from validation.pairs.recipes.maps import map_tolerances, reference_lines
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

DTYPES = (("float32",), ("float16", "float32"), ("bfloat16",))
EMBEDDED = (
    Chain(()),
    *only((*SINGLES, *RESIDUALS, *GATED), "full", draws=("normal", "positive", "mask")),
    *(chain for chain in FEED_FORWARD if all(one.kind == "full" for one in chain.further)),
)


def _body(moved: str, chain: Chain, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the reference's lines. The movement produces `x`, and the chain is applied to it."""
    if not chain.operations:
        return (f"return {moved}",)
    return (f"x = {moved}", *reference_lines(chain, dtypes))


def _gather(chain: Chain, block_size: int, dtypes: tuple[str, ...], **_: object) -> Sketch | None:
    if not chain.possible:
        return None
    python = _body("F.embedding(index, table)", chain, dtypes)
    return Sketch(
        entry_point=named("gather_rows", chain.name),
        summary=sentence_of("look up rows of an embedding table", *chain.phrases),
        operation_type="gather-scatter",
        tags=("gather", "embedding"),
        triton="gather",
        python=python,
        arguments=(
            Argument("table", ("entries", "width"), chain.draw),
            Argument("index", ("count",), "index", "int64", "entries"),
            *chain.arguments(("count", "width")),
        ),
        sizes=(
            {"entries": 1, "count": 1, "width": 1},
            {"entries": 13, "count": 31, "width": 47},
            {"entries": 100, "count": 20, "width": 130},
            # The output has the table's shape, so a test notices if the table itself is returned.
            {"entries": 50, "count": 50, "width": 33},
            {"entries": 9, "count": 11, "width": 2 * block_size + 5},
        ),
        tolerance=map_tolerances(chain, dtypes),
    )


def _scatter(chain: Chain, block_size: int, **_: object) -> Sketch | None:
    if not chain.possible or not all(operation.smooth for operation in chain.operations):
        return None
    values = chain.torch() if chain.operations else ()
    return Sketch(
        entry_point=named(chain.name, "scatter_add"),
        summary=chain.sentence("add each row to the row of a base that an index selects"),
        operation_type="gather-scatter",
        tags=("scatter", "atomics"),
        triton="scatter_add",
        python=(*values, f"return base.index_add(0, index, {chain.result})"),
        arguments=(
            Argument("base", ("entries", "width")),
            Argument("index", ("count",), "index", "int64", "entries"),
            Argument("x", ("count", "width")),
            *chain.arguments(("count", "width")),
        ),
        sizes=(
            {"entries": 1, "count": 1, "width": 1},
            {"entries": 13, "count": 31, "width": 47},
            {"entries": 40, "count": 100, "width": 70},
            {"entries": 5, "count": 9, "width": 2 * block_size + 5},
        ),
        # Many values may be added to one element, in any order.
        tolerance=tolerances(("float32",), 2, 1e-4),
    )


MOVES = {
    "transpose": ("transpose a matrix", "x.t()"),
    "flip_rows": ("reverse the rows of a matrix", "x.flip(0)"),
    "flip_columns": ("reverse the columns of a matrix", "x.flip(1)"),
    "roll_columns": ("roll the columns of a matrix by 3", "x.roll(3, dims=1)"),
    "roll_rows": ("roll the rows of a matrix by 2", "x.roll(2, dims=0)"),
    "lower_triangle": ("keep the lower triangle of a matrix", "x.tril()"),
    "upper_triangle": ("keep the strictly upper triangle of a matrix", "x.triu(1)"),
    "band": ("keep the main diagonal and its two neighbors", "x.tril(1).triu(-1)"),
    "pad": ("pad a matrix with a border of 2 zeros", "F.pad(x, (2, 2, 2, 2))"),
    "shift_right": ("shift a matrix right by 1 and fill with zeros", "F.pad(x, (1, 0))[:, :-1]"),
    "crop_even": ("keep every second row and column of a matrix", "x[::2, ::2]"),
    "repeat_columns": ("repeat each column of a matrix twice", "x.repeat_interleave(2, dim=1)"),
    "mirror": (
        "concatenate a matrix with its mirror image",
        "torch.cat([x, x.flip(1)], dim=1)",
    ),
    "stack_negative": ("stack a matrix on its negative", "torch.cat([x, -x], dim=0)"),
}


def _move(
    kind: str, chain: Chain, walk: str, tile: tuple[int, int], dtypes: tuple[str, ...]
) -> Sketch | None:
    if not chain.possible or (walk == "tile_transposed") != (kind == "transpose"):
        return None
    summary, torch = MOVES[kind]
    contiguous = ".contiguous()" if not chain.operations else ""
    return Sketch(
        entry_point=named(kind, chain.name),
        summary=sentence_of(summary, *chain.phrases),
        operation_type="other",
        tags=("data-movement", kind.replace("_", "-")),
        triton="move",
        python=_body(torch + contiguous, chain, dtypes),
        arguments=(Argument("x", ("rows", "cols"), chain.draw),),
        sizes=(
            {"rows": 1, "cols": 1},
            {"rows": 7, "cols": 61},
            {"rows": 45, "cols": 130},
            {"rows": 100, "cols": 33},
        ),
        tolerance=map_tolerances(chain, dtypes),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "block_m": tile[0],
            "block_n": tile[1],
        },
    )


SEGMENTS = {
    "sum": ("sum", "tl.sum", "reduced"),
    "mean": ("mean", "tl.sum", "reduced / tl.maximum(end - start, 1)"),
    "max_or_zero": ("maximum with zero", "frow_max", "reduced"),
    "l2": ("L2 norm", "tl.sum", "tl.sqrt(reduced)"),
}


def _segment(kind: str, chain: Chain, block: tuple[int, int]) -> Sketch | None:
    if not chain.possible or (kind == "max_or_zero" and not _exceeds_zero(chain)):
        return None
    of_segment = {
        "sum": "part.sum(dim=0)",
        "mean": "part.sum(dim=0) / max(len(part), 1)",
        "max_or_zero": "torch.cat([part, torch.zeros_like(x[:1])]).amax(dim=0)",
        "l2": "part.square().sum(dim=0).sqrt()",
    }[kind]
    phrase = SEGMENTS[kind][0]
    source = chain.result
    return Sketch(
        entry_point=named(chain.name, "segment", kind),
        summary=chain.sentence(f"compute the {phrase} of each segment of rows"),
        operation_type="reduction",
        tags=("reduction", "segments", "ragged"),
        triton="segments",
        python=(
            *chain.torch(),
            "bounds = starts.tolist()",
            f"parts = [{source}[start:end] for start, end in zip(bounds, bounds[1:])]",
            f"return torch.stack([{of_segment} for part in parts])",
        ),
        arguments=(
            Argument("x", ("int(starts[-1]) + 1", "width")),
            Argument("starts", (), "offsets", "int64", "segments"),
        ),
        sizes=(
            {"segments": 1, "width": 1},
            {"segments": 7, "width": 31},
            {"segments": 5, "width": 2 * block[1] + 5},
        ),
        tolerance=tolerances(("float32",), 2, 5e-5),
        values={
            "parts_of": SEGMENTS[kind],
            "block_m": block[0],
            "block_n": block[1],
        },
    )


def _exceeds_zero(chain: Chain) -> bool:
    """Return whether a maximum with zero is informative: a log-sigmoid's is always zero."""
    return is_informative(answers(("y = fmax(y, 0.0)",), y=answers_of(chain)))


TILES = ((32, 32), (64, 32), (16, 64), (32, 128))

MEMORY_RECIPES = (
    Recipe(
        "gather",
        _gather,
        chain=EMBEDDED,
        walk=("row", "loop", "tile"),
        block_size=(256, 512, 1024),
        dtypes=DTYPES,
    ),
    Recipe(
        "scatter-add",
        _scatter,
        chain=SERIES,
        walk=("row", "flat"),
        block_size=(512, 1024),
    ),
    Recipe(
        "move",
        _move,
        kind=tuple(MOVES),
        chain=ONE,
        walk=("tile", "flat", "rows", "tile_transposed"),
        tile=TILES,
        dtypes=DTYPES,
    ),
    Recipe(
        "segment-reduction",
        _segment,
        kind=tuple(SEGMENTS),
        chain=tuple(chain for chain in SERIES if not chain.further),
        block=((16, 64), (32, 32), (32, 64), (8, 128)),
    ),
)
