"""Matrix products that load tiles through tensor descriptors."""

from __future__ import annotations

from validation.pairs.recipes.blocks import EPILOGUES, only
from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.matmuls import (
    GROUP_M,
    LAYOUTS,
    PREFIXES,
    has_registers,
    is_smooth,
    product_tolerance,
    reference,
    then,
)
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

# A descriptor needs rows with a multiple of 16 bytes: 8 float16 values.
MULTIPLE = 8


def _matmul(
    layout: str, grouped: bool, chain: Chain, tile: tuple[int, int, int], dtype: str
) -> Sketch | None:
    if not is_smooth(chain) or not has_registers(tile, (dtype,)):
        return None
    return Sketch(
        entry_point=named(PREFIXES[layout], chain.name),
        summary=then(f"multiply {LAYOUTS[layout]}", chain),
        operation_type="matmul",
        tags=("matmul", "tensor-descriptor", *(("epilogue",) if chain.operations else ())),
        triton="matmul_descriptor",
        python=reference(layout, chain),
        arguments=(
            Argument("a", ("m", "k")),
            Argument("b", ("k", "n") if layout == "nn" else ("n", "k"), "factor", bound="k"),
            *chain.arguments(("m", "n"), ("n",)),
        ),
        sizes=(
            {"m": 1, "n": 8, "k": 8},
            {"m": 17, "n": 40, "k": 24},
            {"m": 70, "n": 104, "k": 64},
            {"m": 131, "n": 72, "k": 136},
            *(({"m": GROUP_M * tile[0] + 3, "n": tile[1] + 8, "k": 16},) if grouped else ()),
        ),
        multiples={"n": MULTIPLE, "k": MULTIPLE},
        dtypes=(dtype,),
        tolerance=product_tolerance((dtype,)),
        layouts=("contiguous",),
        values={},
    )


DESCRIPTOR_RECIPES = (
    Recipe(
        "descriptor-matmul",
        _matmul,
        layout=("nn", "nt"),
        grouped=(True, False),
        chain=only(EPILOGUES, "full", "row", draws=("normal", "positive")),
        tile=((64, 64, 32), (32, 64, 32), (64, 32, 64), (128, 64, 32)),
        dtype=("float32", "float16", "float16", "float16"),
    ),
)
