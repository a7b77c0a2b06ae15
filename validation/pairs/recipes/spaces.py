"""Autotuning configurations by kind of kernel, and an explanation of the block size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlockConfig:
    blocks: Mapping[str, int]
    warps: int = 4
    stages: int = 0
    """Stages of the software pipeline; 0 for Triton's default."""


@dataclass(frozen=True, slots=True)
class Space:
    others: tuple[BlockConfig, ...]
    """Further configurations. A kernel uses those that have all of its block sizes."""
    reasons: tuple[str, ...]
    stages: int = 0

    def warps(self, blocks: Mapping[str, int]) -> int:
        """Return the usual number of warps for blocks of these sizes."""
        sides = [size for name, size in blocks.items() if name not in ("BLOCK_K", "GROUP_M")]
        elements = math.prod(sides)
        if "BLOCK_K" in blocks:
            return 8 if elements >= 128 * 128 else 4
        is_small = elements < 512 and tuple(blocks) != ("BLOCK_M",)
        return 2 if is_small else 4 if elements <= 2048 else 8


def _sizes(name: str, *configs: tuple[int, int]) -> tuple[BlockConfig, ...]:
    return tuple(BlockConfig({name: size}, warps) for size, warps in configs)


def _tiles(*configs: tuple[int, int, int]) -> tuple[BlockConfig, ...]:
    return tuple(BlockConfig({"BLOCK_M": m, "BLOCK_N": n}, warps) for m, n, warps in configs)


def _products(*configs: tuple[int, int, int, int, int, int]) -> tuple[BlockConfig, ...]:
    return tuple(
        BlockConfig({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, warps, stages)
        for m, n, k, _, warps, stages in configs
    )


SPACES: Mapping[str, Space] = {
    "flat": Space(
        _sizes("BLOCK_SIZE", (512, 4), (1024, 4), (2048, 8), (4096, 8)),
        (
            "Memory-bound: several loads in flight for each thread, few registers.",
            "Bandwidth is the limit, so a block only has to be long enough to coalesce\n"
            "and short enough to leave work for every SM.",
            "",
        ),
    ),
    "tile": Space(
        _tiles((16, 128, 4), (32, 64, 4), (8, 256, 4), (32, 128, 8), (64, 64, 8)),
        (
            "At least 32 neighboring columns in a tile, so that loads and stores coalesce.",
            "Memory-bound: a few thousand elements keep enough loads in flight.",
            "",
        ),
    ),
    "row": Space(
        (BlockConfig({}, 2), BlockConfig({}, 4), BlockConfig({}, 8), BlockConfig({}, 16)),
        (
            "The row stays in registers, so only the number of warps is left to choose.",
            "One row for each program: long rows need more warps to stay in registers.",
            "",
        ),
    ),
    "rows": Space(
        tuple(
            BlockConfig({"BLOCK_M": m}, warps)
            for m, warps in ((1, 4), (1, 8), (2, 4), (4, 4), (8, 8))
        ),
        ("Short rows share a program, or most of its threads would idle.", ""),
    ),
    "looped_row": Space(
        (
            *_sizes("BLOCK_SIZE", (512, 4), (1024, 4), (2048, 8), (4096, 16)),
            *_sizes("BLOCK_N", (512, 4), (1024, 4), (2048, 8), (4096, 16)),
            *_tiles((4, 512, 4), (8, 256, 4), (16, 128, 8), (1, 2048, 8)),
        ),
        (
            "Long blocks need fewer passes over a row, until they spill registers.",
            "A row may be longer than the registers hold, so it is read block by block.",
            "",
        ),
    ),
    "columns": Space(
        (
            *_tiles((32, 64, 4), (64, 32, 4), (32, 128, 8), (128, 32, 8)),
            *_sizes("BLOCK_N", (64, 2), (128, 4), (256, 4)),
            *_sizes("BLOCK_SIZE", (64, 2), (128, 4), (256, 4)),
        ),
        (
            "Neighboring columns are contiguous: at least 32 of them fill a cache line.",
            "Wide enough to coalesce along columns, high enough to hide latency.",
            "",
        ),
    ),
    "product": Space(
        _products(
            (64, 64, 32, 8, 4, 4),
            (64, 128, 32, 8, 4, 4),
            (128, 128, 32, 8, 8, 3),
            (128, 64, 64, 8, 4, 3),
            (128, 256, 64, 8, 8, 3),
            (32, 64, 64, 8, 4, 5),
        ),
        (
            "Large tiles do more arithmetic for each byte; small ones keep all SMs busy.",
            "Compute-bound: a tile must amortize its loads over many products, and the\n"
            "pipeline's stages must still fit into shared memory.",
            "",
        ),
        stages=3,
    ),
    # Full float32 can't use tensor cores: large tiles only spill, and compile for minutes.
    "exact_product": Space(
        _products(
            (32, 32, 32, 8, 4, 3),
            (64, 32, 32, 8, 4, 3),
            (32, 64, 32, 8, 4, 3),
            (64, 64, 16, 8, 8, 3),
            (64, 64, 32, 8, 8, 2),
        ),
        (
            "Without tensor cores, small tiles keep the accumulator in registers.",
            "The accumulator must stay in registers, so tiles are small.",
            "",
        ),
        stages=2,
    ),
    "pairwise": Space(
        _tiles((32, 32, 4), (64, 32, 4), (32, 64, 4), (64, 64, 8)),
        ("The sums of a tile stay in registers, so tiles are small.", ""),
    ),
    "vector_product": Space(
        tuple(
            BlockConfig({"BLOCK_OUT": out, "BLOCK_IN": inner}, warps)
            for out, inner, warps in ((16, 256, 4), (32, 128, 4), (4, 1024, 4), (1, 2048, 8))
        )
        + tuple(
            BlockConfig({"BLOCK_IN": n}, warps) for n, warps in ((512, 4), (1024, 4), (2048, 8))
        ),
        ("Bound by reading the matrix once, so wide loads matter more than reuse.", ""),
    ),
    "vector_product_columns": Space(
        tuple(
            BlockConfig({"BLOCK_OUT": out, "BLOCK_IN": inner}, warps)
            for out, inner, warps in ((32, 64, 4), (32, 128, 8), (64, 64, 8), (16, 128, 4))
        ),
        (
            "Few columns for each program: their number alone has to fill the GPU.",
            "32 neighboring columns fill a cache line; more would leave SMs without work.",
            "",
        ),
    ),
}
