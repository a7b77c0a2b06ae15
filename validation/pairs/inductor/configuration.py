"""One fixed configuration for a kernel, where Inductor would try several.

Simple choices by the kind of kernel and the approximate size of each axis. They are not tuned
for a GPU or a size.
"""

from __future__ import annotations

from dataclasses import dataclass

from validation.pairs.inductor.kernels import Kernel

# Block of a matrix product, by axis.
TILE = {"ZBLOCK": 1, "YBLOCK": 64, "XBLOCK": 64, "R0_BLOCK": 32}
POINTWISE = {1: (1024,), 2: (32, 32), 3: (16, 16, 4)}
# Block sizes across rows and along them.
ROWS, ALONG = 8, 1024
WIDE = 4096
AXES = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}


@dataclass(frozen=True, slots=True)
class Configuration:
    blocks: dict[str, int]
    warps: int


def configuration(kernel: Kernel) -> Configuration:
    hints = {block: kernel.hints.get(AXES[block], 1) for block in AXES}
    if kernel.matrices:
        return Configuration({block: TILE[block] for block in kernel.blocks}, 4)
    if "r0_" in kernel.hints:
        return _reduction(kernel, hints)
    sizes = POINTWISE[min(len(kernel.blocks), 3)]
    blocks = {b: min(most, max(hints[b], 16)) for b, most in zip(kernel.blocks, sizes, strict=True)}
    return Configuration(blocks, 4)


def _reduction(kernel: Kernel, hints: dict[str, int]) -> Configuration:
    along = min(hints["R0_BLOCK"], ALONG)
    blocks = {}
    for block in kernel.blocks:
        if block == "R0_BLOCK":
            blocks[block] = along
        elif block == "R1_BLOCK":
            blocks[block] = min(hints[block], max(1, ALONG // along))
        elif block == "XBLOCK":
            # Without a block along the row, the kernel itself processes a whole row.
            room = WIDE // max(1, along if "R0_BLOCK" in kernel.blocks else hints["R0_BLOCK"])
            blocks[block] = min(hints[block], ROWS, max(1, room))
        else:
            blocks[block] = 1
    return Configuration(blocks, 8 if along >= ALONG else 4)
