"""The product of two matrices, tile by tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
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
):
    """Each program computes one tile of the product."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, size_k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        # Zeros beyond the edges add nothing to the sum.
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
        # "ieee": the tensor cores would otherwise round float32 to 19 bits.
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        acc,
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def matmul(a, b):
    """The product of an m by k and a k by n matrix of any strides."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=a.dtype, device=a.device)
    if out.numel() == 0:
        return out
    grid = (triton.cdiv(size_m, 32), triton.cdiv(size_n, 32))
    matmul_kernel[grid](
        a,
        b,
        out,
        size_m,
        size_n,
        size_k,
        *a.stride(),
        *b.stride(),
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=32,
    )
    return out
