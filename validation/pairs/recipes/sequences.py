"""Row operations that depend on order: scans, argmax, windows, sorting, ranks."""

from __future__ import annotations

from validation.pairs.recipes.blocks import NAMED, SERIES
from validation.pairs.recipes.chains import Chain, answers_of, has_own_extreme
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.informative import has_order, stands_out
from validation.pairs.recipes.maps import chains, in_float32
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

SCANS = {
    "cumsum": ("compute the running sum", "{y}.cumsum(dim=-1)", "0.0", "a + b"),
    "cummax": (
        "compute the running maximum",
        "{y}.cummax(dim=-1).values",
        '-float("inf")',
        "fmax(a, b)",
    ),
    "cummin": (
        "compute the running minimum",
        "{y}.cummin(dim=-1).values",
        'float("inf")',
        "fmin(a, b)",
    ),
    "cumulative_mean": (
        "compute the running mean",
        "{y}.cumsum(dim=-1) / torch.arange(1, x.shape[1] + 1, device=x.device)",
        "0.0",
        "a + b",
    ),
    "cumulative_norm": (
        "compute the running L2 norm",
        "{y}.square().cumsum(dim=-1).sqrt()",
        "0.0",
        "a + b",
    ),
    "reverse_cumsum": (
        "compute the reverse running sum",
        "{y}.flip(-1).cumsum(dim=-1).flip(-1)",
        "0.0",
        "a + b",
    ),
    "exclusive_cumsum": (
        "compute the exclusive running sum",
        "{y}.cumsum(dim=-1) - {y}",
        "0.0",
        "a + b",
    ),
}


def _scan(kind: str, chain: Chain, walk: str, block: int, dtypes: tuple[str, ...]) -> Sketch | None:
    if not chain.possible or (walk == "looped" and kind == "reverse_cumsum"):
        return None
    if kind in ("cummax", "cummin") and not has_own_extreme(chain, largest=kind == "cummax"):
        return None
    phrase, torch, identity, combine = SCANS[kind]
    down = walk == "down"
    if walk == "looped" and combine != "a + b":
        # The interpreter scans one value at a time: 17 s for each pair at 512, 46 s at 2,048.
        block //= 4
    # Subtracting a NaN element from its own sum gives NaN, subtracting the next one does not.
    if down and kind in ("cumulative_mean", "exclusive_cumsum"):
        return None
    if down:
        torch = torch.replace("-1", "0")
    scanned = torch.format(y=chain.result)
    return Sketch(
        entry_point=named("column" if down else "", chain.name, kind),
        summary=chain.sentence(f"{phrase} of each {'column' if down else 'row'}"),
        operation_type="scan",
        tags=("scan", kind.replace("_", "-")),
        triton="scan",
        python=(
            in_float32(("x", *chain.floats), (*chain.torch(), f"y = {scanned}"))
            if dtypes != ("float32",)
            else (*chain.torch(), f"return {scanned}")
        ),
        arguments=(Argument("x", ("rows", "cols")), *chain.arguments(("rows", "cols"))),
        sizes=(
            {"rows": 1, "cols": 1},
            {"rows": 5, "cols": 127},
            {"rows": 9, "cols": 30},
            {
                "whole": {"rows": 2, "cols": 515},
                # Three tiles of rows, and three blocks of columns.
                "down": {"rows": 70, "cols": block // 16 + 3},
                "looped": {"rows": 2, "cols": 2 * block + 3},
            }[walk],
        ),
        tolerance=tolerances(dtypes, 3, 1e-4),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "identity": identity,
            "combine": combine,
            "block_size": block,
        },
    )


def _extreme(kind: str, chain: Chain, block_size: int, **_: object) -> Sketch | None:
    if not chain.possible:
        return None
    # Both sides must agree on ties. Otherwise the first of two nearly equal values is arbitrary.
    if any(operation.name not in EXACT for operation in chain.operations):
        return None
    largest = kind in ("argmax", "max_with_index")
    word = "largest" if largest else "smallest"
    both = kind.endswith("_with_index")
    value = f"{chain.result}.{'max' if largest else 'min'}(dim=-1)"
    python = (
        (f"values, indices = {value}", "return values, indices")
        if both
        else (f"return {chain.result}.{kind}(dim=-1)",)
    )
    return Sketch(
        entry_point=named(chain.name, kind),
        summary=chain.sentence(
            f"find the {word} value of each row and its index"
            if both
            else f"find the index of the {word} value of each row"
        ),
        operation_type="reduction",
        tags=("reduction", "argmax" if largest else "argmin"),
        triton="extreme",
        python=(*chain.torch(), *python),
        arguments=(
            Argument("x", ("rows", "cols"), "normal" if chain.further else "ties"),
            *chain.arguments(("rows", "cols")),
        ),
        sizes=(
            {"rows": 1, "cols": 1},
            {"rows": 5, "cols": 127},
            {"rows": 20, "cols": 30},
            {"rows": 3, "cols": 3 * block_size + 5},
        ),
        tolerance=tolerances(("float32",)),
        layouts=("contiguous", "strided", "transposed"),
        outputs=2 if both else 1,
        values={
            "largest": largest,
            "both": both,
        },
    )


EXACT = ("absolute", "add_residual", "add_attention_mask", "add_position_bias")

WINDOWS = {
    "average": ("average", "F.avg_pool1d(padded[:, None], {w}, stride={s})[:, 0]"),
    "max": ("take the maximum of", "F.max_pool1d(padded[:, None], {w}, stride={s})[:, 0]"),
    "min": ("take the minimum of", "-F.max_pool1d(-padded[:, None], {w}, stride={s})[:, 0]"),
    "energy": ("sum the squares of", "padded.square().unfold(1, {w}, {s}).sum(dim=-1)"),
    "range": ("compute the range of", "windows.amax(dim=-1) - windows.amin(dim=-1)"),
}


def _window(kind: str, chain: Chain, window: int, stride: int, **_: object) -> Sketch | None:
    if not chain.possible:
        return None
    if kind in ("max", "min") and not (
        stands_out(answers_of(chain), largest=kind == "max")
        and has_own_extreme(chain, largest=kind == "max")
    ):
        return None
    phrase, torch = WINDOWS[kind]
    return Sketch(
        entry_point=named(chain.name, "window", kind),
        summary=chain.sentence(
            f"{phrase} windows of {window} along each row with stride {stride} (a row shorter than "
            "the window ends with zeros)"
        ),
        operation_type="reduction",
        tags=("pooling", kind),
        triton="window",
        python=(
            *chain.torch(),
            f"padded = F.pad({chain.result}, (0, max(0, {window} - x.shape[1])))",
            *((f"windows = padded.unfold(1, {window}, {stride})",) if kind == "range" else ()),
            f"return {torch.format(w=window, s=stride)}",
        ),
        arguments=(Argument("x", ("rows", "cols")), *chain.arguments(("rows", "cols"))),
        sizes=(
            {"rows": 1, "cols": 1},
            {"rows": 5, "cols": 127},
            {"rows": 3, "cols": 30},
            {"rows": 2, "cols": 1600},
        ),
        tolerance=tolerances(("float32",), 2, 5e-5),
        layouts=("contiguous", "strided", "transposed"),
    )


def _sort(kind: str, chain: Chain, count: int) -> Sketch | None:
    if not chain.possible or (count != 4 and not kind.startswith("top")):
        return None
    if kind == "rank" and any(operation.name not in EXACT for operation in chain.operations):
        return None
    source = chain.result
    torch, phrase = {
        "sort": (f"{source}.sort(dim=-1).values", "sort each row"),
        "sort_descending": (
            f"{source}.sort(dim=-1, descending=True).values",
            "sort each row in descending order",
        ),
        "rank": (
            f"({source}[:, None, :] < {source}[:, :, None]).sum(dim=-1)",
            "count for each element how many of its row are smaller",
        ),
        "top": (
            f"torch.topk({source}, min({count}, x.shape[1]), dim=-1).values",
            f"take the {count} largest values of each row",
        ),
        "median_low": (
            f"{source}.median(dim=-1).values",
            "take the lower median of each row",
        ),
    }[kind]
    if kind == "top" and not (
        all(op.smooth for op in chain.operations) and has_order(answers_of(chain))
    ):
        return None
    return Sketch(
        entry_point=named(chain.name, f"top_{count}" if kind == "top" else kind),
        summary=chain.sentence(phrase),
        operation_type="sort",
        tags=tuple(dict.fromkeys(("sort", kind.replace("_", "-")))),
        triton="sort",
        python=(*chain.torch(), f"return {torch}"),
        arguments=(Argument("x", ("rows", "cols")), *chain.arguments(("rows", "cols"))),
        sizes=({"rows": 1, "cols": 1}, {"rows": 3, "cols": 37}, {"rows": 5, "cols": 20}),
        # A rank compares all pairs in a row, so rows are short: a router has 64 or 128 experts.
        perf=({"rows": 8192, "cols": 64 if kind == "rank" else 1024},),
        tolerance=tolerances(("float32",), 2),
        layouts=("contiguous", "strided", "transposed"),
    )


ADDED = ("add_attention_mask", "add_position_bias")
SEARCHABLE = tuple(NAMED[name] for name in EXACT)
SEARCHED = (
    Chain(()),
    *chains(SEARCHABLE),
    *(chain for chain in chains(SEARCHABLE, SEARCHABLE) if chain.operations[1].name in ADDED),
)
SEQUENCE_RECIPES = (
    Recipe(
        "scan",
        _scan,
        kind=tuple(SCANS),
        chain=SERIES,
        walk=("whole", "looped", "down"),
        block=(1024, 2048),
        dtypes=DTYPES,
    ),
    Recipe(
        "extreme-index",
        _extreme,
        kind=("argmax", "argmin", "max_with_index", "min_with_index"),
        chain=SEARCHED,
        walk=("whole", "looped", "lanes"),
        block_size=(256, 512),
    ),
    Recipe(
        "window",
        _window,
        kind=tuple(WINDOWS),
        chain=SERIES,
        window=(2, 3, 4, 5, 7),
        stride=(1, 2, 3),
        walk=("unrolled", "block"),
    ),
    Recipe(
        "sort",
        _sort,
        kind=("sort", "sort_descending", "rank", "top", "median_low"),
        chain=SERIES,
        count=(2, 4, 8),
    ),
)
