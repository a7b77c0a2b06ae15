"""Products and dequantization of packed weights, with 16-bit or float32 activations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from validation.pairs.recipes.activations import ACTIVATIONS, Activation, afterward
from validation.pairs.recipes.packed_weights import Layout, Stored, Weights
from validation.pairs.recipes.prepared import EXACT_PRODUCTS, Preparation, product_configs, returned
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

# Block sizes, warps and stages by group size, which must be a multiple of the block along k.
CONFIGS = {
    32: ((16, 32, 32, 4, 3), (64, 64, 32, 4, 4), (128, 128, 32, 8, 3)),
    64: ((16, 64, 64, 4, 4), (64, 128, 64, 4, 3), (128, 128, 64, 8, 3)),
    128: ((16, 64, 128, 4, 3), (64, 128, 64, 4, 4), (128, 128, 64, 8, 3)),
    0: ((32, 32, 32, 4, 3), (64, 128, 64, 4, 4), (128, 256, 64, 8, 3)),
}
# Two configurations for float32, which tensor cores don't multiply.
EXACT_CONFIGS = {
    group: ((16, 32, min(group or 32, 64), 4, 3), (64, 64, 32, 4, 3)) for group in CONFIGS
}
DECODING = "BLOCK_M of 16 is the least that tensor cores take, and enough while decoding."
WHY = {
    32: ("A block of k is one group, so each column needs one scale.", DECODING),
    64: ("A block of k is one group of 64, so each column needs one scale.", DECODING),
    128: ("BLOCK_K divides the group of 128.", "Few rows are for decoding, many for a prefill."),
    0: ("BLOCK_K is free without groups: 64 values of 16 bits fill a cache line of 128 bytes.",),
}
TIMED: tuple[Mapping[str, int | str], ...] = (
    {"m": 16, "n": 4096, "k": 4096, "dtype": "float16"},
    {"m": 2048, "n": 11008, "k": 4096, "dtype": "float16"},
)
TIMED_FOR = "Linear layers of Llama 2 7B: decoding of 16 sequences, and a prefill."
TIMED_ROW: tuple[Mapping[str, int | str], ...] = (
    {"n": 4096, "k": 4096, "dtype": "bfloat16"},
    {"n": 14336, "k": 4096, "dtype": "bfloat16"},
)
TIMED_ROW_FOR = "Projections of Llama 3 8B, for one token."


def _matmul(
    weights: Weights,
    unpack: str,
    decoding: str,
    bias: bool,
    activation: Activation,
    order: str,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if not _multiplies(weights, unpack, decoding):
        return None
    return Sketch(
        entry_point=weights.entry_point(
            "linear" if weights.layout == "nk" else "matmul", activation.name
        ),
        summary=f"Multiply a matrix by {weights.phrase}{afterward(bias, activation)}.",
        operation_type="matmul",
        tags=("matmul", *weights.tags),
        triton="weight_only_matmul",
        python=_product_in_torch(weights, bias, activation),
        arguments=tuple(map(Argument, ("x", *weights.arguments, *(("bias",) * bias)))),
        sizes=_sizes(weights.group or 32),
        tolerance=_tolerance(dtypes),
        values={
            "configs": product_configs(
                order, (EXACT_CONFIGS if "float32" in dtypes else CONFIGS)[weights.group]
            ),
            "why": (EXACT_PRODUCTS,) if "float32" in dtypes else WHY[weights.group],
        },
        inputs=_product_inputs(weights, bias, "(m, k)", TIMED_FOR),
        perf=TIMED,
    )


def _matvec(
    weights: Weights,
    unpack: str,
    decoding: str,
    bias: bool,
    activation: Activation,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if not _multiplies(weights, unpack, decoding):
        return None
    block = weights.group or 128
    return Sketch(
        entry_point=weights.entry_point("matvec", activation.name),
        summary=f"Multiply a vector by {weights.phrase}{afterward(bias, activation)}.",
        operation_type="matmul",
        tags=("matmul", "matvec", *weights.tags),
        triton="weight_only_matvec",
        python=_product_in_torch(weights, bias, activation),
        arguments=tuple(map(Argument, ("x", *weights.arguments, *(("bias",) * bias)))),
        sizes=_sizes_of_weights(weights),
        tolerance=_tolerance(dtypes),
        values={
            "configs": (
                ({"BLOCK_N": 16, "BLOCK_K": block}, 2, 2),
                ({"BLOCK_N": 32, "BLOCK_K": block}, 4, 3),
                ({"BLOCK_N": 64, "BLOCK_K": block}, 4, 4),
            ),
            "why": (
                "Few outputs per program give enough programs to fill the GPU: 4,096 outputs in",
                "blocks of 16 are 256 programs.",
            ),
        },
        inputs=_product_inputs(weights, bias, "(k,)", TIMED_ROW_FOR),
        perf=TIMED_ROW,
    )


def _dequantize(
    weights: Weights, walk: str, decoding: str, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not weights.exists or weights.stored == "int8":
        return None
    if walk == "bytes" and (weights.per_word != 2 or weights.layout != "nk"):
        return None
    floats = weights.stored in ("mxfp4", "nvfp4")
    if decoding != "bits" and not floats:
        return None
    out_dtype = "torch.bfloat16" if floats else f"{weights.scales}.dtype"
    if weights.stored in ("nf4", "mxfp4", "nvfp4") and dtypes != FLOATS[0]:
        return None
    tile = ((16, 64, 4), (32, 128, 4), (64, 128, 8))
    flat = ((512, 4), (1024, 4), (4096, 8))
    return Sketch(
        entry_point=weights.entry_point("dequantize").replace("w4a16", "int4"),
        summary=f"Dequantize {weights.phrase}.",
        operation_type="quantization",
        tags=("quantization", *weights.tags),
        triton="weight_only_dequantize",
        python=(*weights.in_torch("weight", out_dtype), "return weight"),
        arguments=tuple(map(Argument, weights.arguments)),
        sizes=_sizes_of_weights(weights),
        dtypes=("bfloat16",) if floats else dtypes,
        tolerance=_tolerance(("bfloat16",) if floats else dtypes),
        values={
            "out_dtype": out_dtype,
            "configs": tuple(({"BLOCK_M": m, "BLOCK_N": n}, warps, 1) for m, n, warps in tile)
            if walk == "tile"
            else tuple(({"BLOCK_SIZE": size}, warps, 1) for size, warps in flat),
            "why": (
                "Each weight is used once: larger blocks only give a thread more loads in flight.",
            ),
        },
        perf=({"n": 14336, "k": 4096, "dtype": "bfloat16"},),
        inputs=Preparation(
            lines=(*weights.drawn(), returned(*weights.handed())),
            timed_for="The up projection of Llama 3 8B.",
            allowed={"k": {"multiple_of": weights.group or 8}},
        ),
    )


FLOATS = (("float32",), ("float16", "float32"), ("bfloat16", "float32"))


def _multiplies(weights: Weights, unpack: str, decoding: str) -> bool:
    """Return whether there are products with such weights."""
    decodable = decoding == "bits" or weights.stored == "mxfp4"
    return weights.exists and decodable and _unpackable(weights, unpack)


def _product_in_torch(weights: Weights, bias: bool, activation: Activation) -> tuple[str, ...]:
    product = (
        f"F.linear(x, weight{', bias' if bias else ''})"
        if weights.layout == "nk"
        else f"x @ weight{' + bias' if bias else ''}"
    )
    return (
        *weights.in_torch("weight", "x.dtype"),
        f"out = {product}",
        f"return {activation.torch or 'out'}",
    )


def _product_inputs(
    weights: Weights,
    bias: bool,
    shape: str,
    timed_for: str,
) -> Preparation:
    """Return the inputs of a product. `shape`: the shape of the other factor."""
    return Preparation(
        lines=(
            f"x = (torch.randn({shape}, generator=generator) / k**0.5).to(dtype)",
            *weights.drawn(),
            *(("bias = torch.randn((n,), generator=generator).to(dtype)",) * bias),
            returned("laid_out(x)", *weights.handed(), *(("bias.to(device)",) * bias)),
        ),
        timed_for=timed_for,
        allowed={"k": {"multiple_of": weights.group or 8}},
    )


def _sizes_of_weights(weights: Weights) -> tuple[dict[str, int], ...]:
    """Return sizes for the weights alone, without the rows of the other factor."""
    return tuple(
        {name: size for name, size in case.items() if name != "m"}
        for case in _sizes(weights.group or 64)
    )


def _unpackable(weights: Weights, unpack: str) -> bool:
    """Return whether weights can be unpacked this way: adjacent bytes along k, or by shifts."""
    if weights.stored in ("int8", "int32"):
        return unpack == "shift"
    return unpack != "interleave" or weights.layout == "nk"


def _sizes(group: int) -> tuple[dict[str, int], ...]:
    return (
        {"m": 1, "n": 1, "k": group},
        {"m": 17, "n": 31, "k": 3 * group},
        {"m": 40, "n": 70, "k": 2 * group},
        {"m": 5, "n": 129, "k": 4 * group},
    )


def _tolerance(dtypes: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    known = {"float16": (4e-3, 4e-3), "float32": (1e-4, 2e-4), "bfloat16": (1.6e-2, 1.6e-2)}
    return {dtype: known[dtype] for dtype in dtypes}


def _formats() -> tuple[Weights, ...]:
    """Return all variants of the integer formats, and the 4-bit floats."""
    stored_as: tuple[Stored, ...] = ("int4", "int8", "int32")
    layouts: tuple[Layout, ...] = ("nk", "kn")
    integers = (
        Weights(stored, group, zero, layout)
        for stored, group, zero, layout in product(
            stored_as, (32, 64, 128, 0), (False, True), layouts
        )
    )
    floats = (
        Weights("nf4", 64), Weights("nf4", 128), Weights("nf4", 64, layout="kn"),
        Weights("mxfp4", 32), Weights("mxfp4", 32, layout="kn"),
    )  # fmt: skip
    # List floats twice: otherwise they would be rare among the many variants of integers.
    return tuple(weights for weights in (*integers, *floats, *floats) if weights.exists)


WEIGHT_ONLY_RECIPES = (
    Recipe(
        "weight-only-matmul",
        _matmul,
        weights=_formats(),
        unpack=("shift", "interleave", "halves"),
        decoding=("bits", "arithmetic"),
        bias=(False, True),
        activation=ACTIVATIONS,
        order=("grouped", "grid"),
        dtypes=(("float16",), ("float32",)),
    ),
    Recipe(
        "weight-only-matvec",
        _matvec,
        weights=_formats(),
        unpack=("shift", "interleave", "halves"),
        decoding=("bits", "arithmetic"),
        bias=(False, True),
        activation=ACTIVATIONS,
        dtypes=FLOATS,
    ),
    Recipe(
        "weight-only-dequantize",
        _dequantize,
        weights=(
            *_formats(),
            Weights("nvfp4", 16),
            Weights("nvfp4", 16, layout="kn"),
        ),
        walk=("tile", "bytes", "flat"),
        decoding=("bits", "arithmetic"),
        dtypes=FLOATS,
    ),
)
