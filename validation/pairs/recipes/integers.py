"""Operations on whole numbers with exact results: bits, shifts, remainders."""

from __future__ import annotations

from validation.pairs.recipes.chains import Chain, answers_of
from validation.pairs.recipes.informative import is_informative
from validation.pairs.recipes.maps import LOOPS, chains, vector_sizes
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

INTEGERS = (
    Operation("and_mask", "the low six bits", "{x} & 63", "{x} & 63"),
    Operation("or_bit", "bit 4 set", "{x} | 16", "{x} | 16"),
    Operation("xor_mask", "bits flipped by 85", "{x} ^ 85", "{x} ^ 85"),
    Operation("invert", "all bits flipped", "~{x}", "~{x}"),
    Operation("shift_left", "a shift to the left by 2", "({x} & 65535) << 2", "({x} & 65535) << 2"),
    Operation("shift_right", "a shift to the right by 1", "{x} >> 1", "{x} >> 1"),
    Operation("abs_value", "the absolute value", "torch.abs({x})", "tl.abs({x})"),
    Operation("clip", "clamping to [-40, 40]", "torch.clamp({x}, -40, 40)",
              "tl.minimum(tl.maximum({x}, -40), 40)"),
    Operation("parity", "the lowest bit", "{x} & 1", "{x} & 1"),
    Operation(
        "gray_code",
        "the Gray code",
        "({x} & 1023) ^ (({x} & 1023) >> 1)",
        "ten_bits ^ (ten_bits >> 1)",
        ("ten_bits = {x} & 1023",),
    ),
    Operation(
        "popcount",
        "how many of the low eight bits are set",
        "sum(({x} >> bit) & 1 for bit in range(8))",
        "(counts & 15) + (counts >> 4)",
        (
            "counts = {x} & 255",
            "counts = counts - ((counts >> 1) & 85)",
            "counts = (counts & 51) + ((counts >> 2) & 51)",
        ),
    ),
    Operation(
        "hash_step",
        "one step of a hash",
        "(({x} & 4095) * 2654) ^ (({x} & 4095) >> 3)",
        "(key * 2654) ^ (key >> 3)",
        ("key = {x} & 4095",),
    ),
    Operation("plus", "adding", "{x} + {y}", "{x} + {y}"),
    Operation("minus", "subtracting", "{x} - {y}", "{x} - {y}"),
    Operation("bit_and", "the bits in common with", "{x} & {y}", "{x} & {y}"),
    Operation("bit_xor", "the bits that differ from", "{x} ^ {y}", "{x} ^ {y}"),
    Operation("larger", "the larger of it and", "torch.maximum({x}, {y})", "tl.maximum({x}, {y})"),
    Operation("smaller", "the smaller of it and",
              "torch.minimum({x}, {y})", "tl.minimum({x}, {y})"),
    Operation(
        "where_positive",
        "zero unless positive is",
        "torch.where({y} > 0, {x}, torch.zeros_like({x}))",
        "tl.where({y} > 0, {x}, 0)",
    ),
    Operation(
        "times_bounded",
        "multiplying the low bits by those of",
        "({x} & 1023) * ({y} & 1023)",
        "({x} & 1023) * ({y} & 1023)",
    ),
)  # fmt: skip


def _integer_map(chain: Chain, loop: str, block: int, dtype: str) -> Sketch | None:
    if not (chain.possible and is_informative(answers_of(chain, "whole"))):
        return None
    steps = chain.torch()
    return Sketch(
        entry_point=f"{chain.name}_integers",
        summary=f"Each of a vector of whole numbers: {chain.phrase}.",
        operation_type="element-wise",
        tags=("element-wise", "integer", dtype),
        triton="map_1d",
        python=(*steps[:-1], f"return {steps[-1].removeprefix('y = ')}"),
        arguments=tuple(
            Argument(name, ("n",), "integers") for name in ("x", *chain.operands)
        ),
        sizes=vector_sizes(block),
        dtypes=(dtype,),
        tolerance={dtype: (0.0, 0.0)},
        values={
            "chain": chain,
            "helper": "",
            "loop": loop,
            "block_size": block,
            "steps": 4,
            "programs": 16,
            "warps": 0,
            "integer": True,
        },
    )  # fmt: skip


INTEGER_RECIPES = (
    Recipe(
        "integer-map",
        _integer_map,
        {
            "chain": (*chains(INTEGERS, INTEGERS), *chains(INTEGERS, INTEGERS, INTEGERS)),
            "loop": LOOPS,
            "block": (256, 512),
            "dtype": ("int32", "int64"),
        },
    ),
)
