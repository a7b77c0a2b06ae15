"""The product of two matrices with a long inner dimension, which several programs share."""

import torch
import triton
import triton.language as tl


@triton.jit
def split_k_matmul_kernel(
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
    k_per_split,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program adds its share of the inner dimension to one tile."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    start = tl.program_id(2) * k_per_split
    end = tl.minimum(start + k_per_split, size_k)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(start, end, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + rows[:, None] * a_stride_m + inner[None, :] * a_stride_k,
            mask=(rows[:, None] < size_m) & (inner[None, :] < end),
            other=0.0,
        )
        b = tl.load(
            b_ptr + inner[:, None] * b_stride_k + cols[None, :] * b_stride_n,
            mask=(inner[:, None] < end) & (cols[None, :] < size_n),
            other=0.0,
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    # The shares arrive in any order, so the last bits may differ between runs.
    tl.atomic_add(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        acc,
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def split_k_matmul(a, b):
    """The product of two matrices of any strides, in float32."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.zeros((size_m, size_n), dtype=torch.float32, device=a.device)
    if out.numel() == 0 or size_k == 0:
        return out
    n_splits = min(4, triton.cdiv(size_k, 32))
    # A whole number of blocks for each share but the last.
    k_per_split = triton.cdiv(triton.cdiv(size_k, 32), n_splits) * 32
    grid = (triton.cdiv(size_m, 16), triton.cdiv(size_n, 32), n_splits)
    split_k_matmul_kernel[grid](
        a,
        b,
        out,
        size_m,
        size_n,
        size_k,
        *a.stride(),
        *b.stride(),
        k_per_split,
        BLOCK_M=16,
        BLOCK_N=32,
        BLOCK_K=32,
    )
    return out
