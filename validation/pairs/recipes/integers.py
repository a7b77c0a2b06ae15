"""Integer operations with exact results: bits, shifts, remainders."""

from __future__ import annotations

from validation.pairs.recipes.operation import Operand, Operation

OTHER = (Operand("other"),)
INTEGERS = (
    Operation("and_mask", "keep the low six bits", "{x} & 63"),
    Operation("or_bit", "set bit 4", "{x} | 16"),
    Operation("xor_mask", "take the bitwise XOR with 85", "{x} ^ 85"),
    Operation("bitwise_not", "invert all bits", "~{x}"),
    Operation("shift_left", "shift the low 16 bits left by 2", "({x} & 65535) << 2"),
    Operation("shift_right", "shift right by 1", "{x} >> 1"),
    Operation("abs_value", "take the absolute value", "torch.abs({x})", "tl.abs({x})"),
    Operation("clip", "clamp to [-40, 40]", "torch.clamp({x}, -40, 40)",
              "tl.minimum(tl.maximum({x}, -40), 40)"),
    Operation("parity", "keep the lowest bit", "{x} & 1"),
    Operation("gray_code", "compute the Gray code of the low ten bits",
              "({x} & 1023) ^ (({x} & 1023) >> 1)", "ten_bits ^ (ten_bits >> 1)",
              ("ten_bits = {x} & 1023",)),
    Operation("popcount", "count the set bits of the low byte",
              "sum(({x} >> bit) & 1 for bit in range(8))", "(counts & 15) + (counts >> 4)",
              ("counts = {x} & 255", "counts = counts - ((counts >> 1) & 85)",
               "counts = (counts & 51) + ((counts >> 2) & 51)")),
    Operation("hash_step", "apply one step of a hash",
              "(({x} & 4095) * 2654) ^ (({x} & 4095) >> 3)", "(key * 2654) ^ (key >> 3)",
              ("key = {x} & 4095",)),
    Operation("plus", "add a second vector", "{x} + {y}", further=OTHER),
    Operation("minus", "subtract a second vector", "{x} - {y}", further=OTHER),
    Operation("bit_and", "take the bitwise AND with a second vector", "{x} & {y}", further=OTHER),
    Operation("bit_xor", "take the bitwise XOR with a second vector", "{x} ^ {y}", further=OTHER),
    Operation("maximum", "take the maximum with a second vector", "torch.maximum({x}, {y})",
              "tl.maximum({x}, {y})", further=OTHER),
    Operation("minimum", "take the minimum with a second vector", "torch.minimum({x}, {y})",
              "tl.minimum({x}, {y})", further=OTHER),
    Operation("where_positive", "keep the elements whose condition is positive",
              "torch.where({y} > 0, {x}, 0)", "tl.where({y} > 0, {x}, 0)",
              further=(Operand("condition"),)),
    Operation("times_bounded", "multiply the low ten bits by those of a second vector",
              "({x} & 1023) * ({y} & 1023)", further=OTHER),
)  # fmt: skip
