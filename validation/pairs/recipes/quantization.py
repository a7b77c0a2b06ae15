"""Quantization to few bits, and dequantization."""

from __future__ import annotations

from validation.pairs.recipes.blocks import EPILOGUES, NAMED, only
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.choices import DTYPES, FLOAT8, named
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.perf import SHORT_ROWS
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import ROW_SIZES
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


def _quantize(chain: Chain, scheme: str, walk: str) -> Sketch | None:
    """Return the sketch.

    Rounding is discontinuous, so it may follow only one operation, exact in float32.
    """
    if not chain.possible or any(op not in EXACT for op in chain.operations):
        return None
    lines = {
        "symmetric": (
            "scale = {y}.abs().amax(dim=-1, keepdim=True).clamp(min=1e-6) * (1.0 / 127.0)",
            "levels = torch.floor({y} / scale + 0.5).clamp(-127, 127)",
            "return levels.to(torch.int8), scale[:, 0]",
        ),
        "asymmetric": (
            "low = {y}.amin(dim=-1, keepdim=True)",
            "scale = ({y}.amax(dim=-1, keepdim=True) - low).clamp(min=1e-6) * (1.0 / 255.0)",
            "levels = torch.floor(({y} - low) / scale + 0.5).clamp(0, 255) - 128",
            "return levels.to(torch.int8), scale[:, 0], low[:, 0]",
        ),
        "four_bit": (
            "scale = {y}.abs().amax(dim=-1, keepdim=True).clamp(min=1e-6) * (1.0 / 7.0)",
            "levels = torch.floor({y} / scale + 0.5).clamp(-7, 7)",
            "return levels.to(torch.int8), scale[:, 0]",
        ),
    }[scheme]
    return Sketch(
        entry_point=named(chain.name, "quantize", scheme),
        summary=chain.sentence(SCHEMES[scheme]),
        operation_type="quantization",
        tags=("quantization", "int8", scheme.replace("_", "-")),
        triton="quantize",
        python=(*chain.torch(), *(line.format(y=chain.result) for line in lines)),
        arguments=(Argument("x", ("rows", "cols")), *chain.arguments(("rows", "cols"), ("cols",))),
        sizes=ROW_SIZES,
        perf=SHORT_ROWS if walk == "tile" else (),
        # Exact, because both sides round in the same way and levels are integers.
        tolerance={"float32": (1e-6, 1e-6)},
        layouts=("contiguous", "strided", "transposed"),
        outputs=3 if scheme == "asymmetric" else 2,
    )


SCHEMES = {
    "symmetric": "quantize each row to int8 with its own scale",
    "asymmetric": "quantize each row to int8 with its own scale and minimum",
    "four_bit": "quantize each row to 4 bits with its own scale",
}
# Operations with at most one rounding.
EXACT = tuple(NAMED[name] for name in ("add_residual", "relu", "relu6", "clamp", "clip_value"))


def _dequantize(
    chain: Chain,
    stored: str,
    granularity: str,
    zero: bool,
    group: int,
    dtypes: tuple[str, ...],
    **_: object,
) -> Sketch | None:
    if not chain.possible or not all(op.smooth for op in chain.operations):
        return None
    if granularity != "group" and group != 32:
        return None
    whole = stored == "int8"
    if zero and not whole:
        return None
    scale = {
        "row": "scale[:, None]",
        "column": "scale",
        "group": f"scale.repeat_interleave({group}, dim=1)[:, : q.shape[1]]",
    }[granularity]
    shape = {
        "row": ("rows",),
        "column": ("cols",),
        "group": ("rows", f"(cols + {group - 1}) // {group}"),
    }[granularity]
    shifted = scale.replace("scale", "zero_point.float()")
    narrow = dtypes != ("float32",)
    minus = f" - {shifted}" if zero else ""
    widened = scale.replace("scale", "scale.float()") if narrow else scale
    return Sketch(
        entry_point=named("dequantize", granularity, "zero_point" if zero else "", chain.name),
        summary=sentence_of(
            f"dequantize {stored} values with one scale {'and zero point ' if zero else ''}"
            f"per {granularity}" + (f" of {group} columns" if granularity == "group" else ""),
            *chain.phrases,
        ),
        operation_type="quantization",
        tags=("quantization", "int8" if whole else "fp8", f"per-{granularity}"),
        triton="dequantize",
        python=(
            f"x = q.float(){minus}",
            f"x = x * {widened}",
            *(f"{n.name} = {n.name}.float()" for n in chain.further if narrow and n.draw != "mask"),
            *chain.torch(),
            f"return {chain.result}" + (".to(scale.dtype)" if narrow else ""),
        ),
        arguments=(
            Argument("q", ("rows", "cols"), "integers" if whole else "normal", stored),
            Argument("scale", shape, "scale" if whole and chain.draw == "normal" else "positive"),
            *((Argument("zero_point", shape, "integers", "int8"),) if zero else ()),
            *chain.arguments(("rows", "cols")),
        ),
        # The last size gives scales of the output's shape with several values: a test then notices
        # wrong indices of scales.
        sizes=(*ROW_SIZES[:4], *([{"rows": 7, "cols": 1}] if granularity == "group" else ())),
        tolerance=tolerances(dtypes, 3, 1e-4),
    )


AFTER_DEQUANTIZING = only(EPILOGUES, "full")

QUANTIZATION_RECIPES = (
    Recipe(
        "quantize",
        _quantize,
        chain=(Chain(()), *chains(EXACT), *chains(EXACT[:1], EXACT[1:])),
        scheme=("symmetric", "asymmetric", "four_bit"),
        walk=("whole", "looped", "tile"),
    ),
    Recipe(
        "dequantize",
        _dequantize,
        chain=AFTER_DEQUANTIZING,
        stored=("int8", *FLOAT8),
        granularity=("row", "column", "group"),
        zero=(False, True),
        group=(32, 16, 64),
        walk=("tile", "flat"),
        dtypes=DTYPES,
    ),
)
