"""Quantization into few bits, and its inverse."""

from __future__ import annotations

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import DTYPES, FLOAT8, ONE, TWO, named
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.operations import BINARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import ROW_SIZES
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY


def _quantize(chain: Chain, scheme: str, walk: str) -> Sketch | None:
    """Return the sketch.

    Rounding is discontinuous, so only one exact operation on float32 may precede it.
    """
    if not chain.possible or any(op.name not in EXACT for op in chain.operations):
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
        entry_point=named("quantise", scheme, chain.name),
        summary=f"Each row to int8 with a scale of its own, {scheme.replace('_', ' ')}"
        + (f", after {chain.phrase}." if chain.operations else "."),
        operation_type="quantization",
        tags=("quantization", "int8", scheme.replace("_", "-")),
        triton="quantise",
        python=(*chain.torch(), *(line.format(y=chain.result) for line in lines)),
        arguments=tuple(Argument(n, ("rows", "cols")) for n in ("x", *chain.operands)),
        sizes=ROW_SIZES,
        # Exact: both sides round in the same way, and a level is a whole number.
        tolerance={"float32": (1e-6, 1e-6)},
        layouts=("contiguous", "strided", "transposed"),
        outputs=3 if scheme == "asymmetric" else 2,
        values={"chain": chain, "scheme": scheme, "walk": walk},
    )


EXACT = (
    "abs",
    "negate",
    "add",
    "subtract",
    "relu",
    "maximum",
    "minimum",
    "clamp",
    "relu6",
    "average",
)


def _dequantize(
    chain: Chain,
    stored: str,
    granularity: str,
    zero: bool,
    group: int,
    walk: str,
    dtypes: tuple[str, ...],
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
        entry_point=named("dequantise", granularity, "shifted" if zero else "", chain.name),
        summary=f"From {stored} with one scale a {granularity}"
        + (f" of {group}" if granularity == "group" else "")
        + (" and zero point" if zero else "")
        + (f", then {chain.phrase}." if chain.operations else "."),
        operation_type="quantization",
        tags=("quantization", "int8" if whole else "fp8", f"per-{granularity}"),
        triton="dequantise",
        python=(
            f"x = q.float(){minus}",
            f"x = x * {widened}",
            *(f"{n} = {n}.float()" for n in chain.operands if narrow),
            *chain.torch(),
            f"return {chain.result}" + (".to(scale.dtype)" if narrow else ""),
        ),
        arguments=(
            Argument("q", ("rows", "cols"), "integers" if whole else "normal", stored),
            Argument("scale", shape, "positive"),
            *((Argument("zero_point", shape, "integers", "int8"),) if zero else ()),
            *(Argument(n, ("rows", "cols")) for n in chain.operands),
        ),
        # The last one: scales of the output's shape, and more than one value, so that a mix-up is
        # noticed.
        sizes=(*ROW_SIZES[:4], *([{"rows": 7, "cols": 1}] if granularity == "group" else ())),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 3, 1e-4),
        values={
            "chain": chain,
            "stored": stored,
            "granularity": granularity,
            "zero": zero,
            "group": group,
            "walk": walk,
        },
    )


QUANTIZATION_RECIPES = (
    Recipe(
        "quantise",
        _quantize,
        {
            "chain": (*ONE, *chains(BINARY), *chains(BINARY, UNARY)),
            "scheme": ("symmetric", "asymmetric", "four_bit"),
            "walk": ("whole", "looped", "tile"),
        },
    ),
    Recipe(
        "dequantise",
        _dequantize,
        {
            "chain": (*TWO, *chains(BINARY)),
            "stored": ("int8", *FLOAT8),
            "granularity": ("row", "column", "group"),
            "zero": (False, True),
            "group": (32, 16, 64),
            "walk": ("tile", "flat"),
            "dtypes": DTYPES,
        },
    ),
)
