"""GELU of a product of matrices plus a bias, tiles in an order that is kind to the cache."""

import torch
import triton
import triton.language as tl


@triton.jit
def _tile_of(
    pid, size_m, size_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr
):
    """The tile of a program: groups of rows are walked column by column."""
    tiles_m = tl.cdiv(size_m, BLOCK_M)
    tiles_n = tl.cdiv(size_n, BLOCK_N)
    first_m = (pid // (GROUP * tiles_n)) * GROUP
    # The last group may hold fewer rows.
    group_size = tl.minimum(tiles_m - first_m, GROUP)
    within = pid % (GROUP * tiles_n)
    return first_m + within % group_size, within // group_size


@triton.jit
def matmul_bias_gelu_kernel(
    a_ptr,
    b_ptr,
    bias_ptr,
    out_ptr,
    size_m,
    size_n,
    size_k,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    bias_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    """Each program computes one tile; bias and GELU cost no pass of their own."""
    tile_m, tile_n = _tile_of(tl.program_id(0), size_m, size_n, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, size_k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + rows[:, None] * a_stride_m + inner[None, :] * a_stride_k,
            mask=(rows[:, None] < size_m) & (inner[None, :] < size_k),
            other=0.0,
        )
        b = tl.load(
            b_ptr + inner[:, None] * b_stride_k + cols[None, :] * b_stride_n,
            mask=(inner[:, None] < size_k) & (cols[None, :] < size_n),
            other=0.0,
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    bias = tl.load(bias_ptr + cols * bias_stride, mask=cols < size_n, other=0.0)
    y = acc + bias.to(tl.float32)[None, :]
    y = 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476))
    tl.store(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        y,
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def matmul_bias_gelu(a, b, bias):
    """GELU of a product of matrices of any strides plus a bias for each column."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=a.dtype, device=a.device)
    if out.numel() == 0:
        return out
    grid = (triton.cdiv(size_m, 32) * triton.cdiv(size_n, 32),)
    matmul_bias_gelu_kernel[grid](
        a,
        b,
        bias,
        out,
        size_m,
        size_n,
        size_k,
        *a.stride(),
        *b.stride(),
        bias.stride(0),
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=32,
        GROUP=2,
    )
    return out
