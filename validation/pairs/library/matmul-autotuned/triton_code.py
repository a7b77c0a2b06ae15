"""Tiled matrix product whose tile shape is measured, in an order of tiles that reuses the cache."""

import torch
import triton
import triton.language as tl


def _config(block_m, block_n, block_k, stages, warps):
    blocks = {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k}
    return triton.Config(blocks, num_stages=stages, num_warps=warps)


CONFIGS = [
    _config(64, 64, 32, 3, 4),
    _config(128, 64, 32, 4, 4),
    _config(128, 128, 32, 3, 8),
    _config(128, 256, 64, 3, 8),
]


@triton.autotune(configs=CONFIGS, key=["size_m", "size_n", "size_k"])
@triton.jit
def matmul_grouped_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    size_m,
    size_n,
    size_k,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr = 8,
):
    """Programs that run at the same time compute tiles of few rows, so they share loads of `b`."""
    tiles_m = tl.cdiv(size_m, BLOCK_M)
    tiles_n = tl.cdiv(size_n, BLOCK_N)
    tile = tl.program_id(0)
    group = tile // (GROUP * tiles_n)
    rows_of_group = min(tiles_m - group * GROUP, GROUP)
    within = tile % (GROUP * tiles_n)
    tile_m = group * GROUP + within % rows_of_group
    tile_n = within // rows_of_group

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * a_stride_m + inner[None, :] * a_stride_k
    b_ptrs = b_ptr + inner[:, None] * b_stride_k + cols[None, :] * b_stride_n
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, size_k, BLOCK_K):
        left = size_k - first
        a = tl.load(a_ptrs, mask=(rows[:, None] < size_m) & (inner[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < size_n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BLOCK_K * a_stride_k
        b_ptrs += BLOCK_K * b_stride_k
    inside = (rows[:, None] < size_m) & (cols[None, :] < size_n)
    tl.store(out_ptr + rows[:, None] * size_n + cols[None, :], acc, mask=inside)


def matmul(a, b):
    """The product of two matrices of any strides; the first call at a size measures the tiles."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=a.dtype, device=a.device)
    if out.numel() == 0:
        return out

    def grid(blocks):
        tiles_m = triton.cdiv(size_m, blocks["BLOCK_M"])
        return (tiles_m * triton.cdiv(size_n, blocks["BLOCK_N"]),)

    matmul_grouped_kernel[grid](a, b, out, size_m, size_n, size_k, *a.stride(), *b.stride())
    return out
