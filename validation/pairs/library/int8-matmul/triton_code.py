"""A product of int8 matrices with int32 sums, scaled by row and by column at the end."""

import torch
import triton
import triton.language as tl


@triton.jit
def int8_matmul_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    out_ptr,
    size_m,
    size_n,
    size_k,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    a_scale_stride,
    b_scale_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program computes one tile; the sums are exact."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for first in range(0, size_k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + rows[:, None] * a_stride_m + inner[None, :] * a_stride_k,
            mask=(rows[:, None] < size_m) & (inner[None, :] < size_k),
            other=0,
        )
        b = tl.load(
            b_ptr + inner[:, None] * b_stride_k + cols[None, :] * b_stride_n,
            mask=(inner[:, None] < size_k) & (cols[None, :] < size_n),
            other=0,
        )
        acc += tl.dot(a, b, out_dtype=tl.int32)
    a_scale = tl.load(a_scale_ptr + rows * a_scale_stride, mask=rows < size_m, other=0.0)
    b_scale = tl.load(b_scale_ptr + cols * b_scale_stride, mask=cols < size_n, other=0.0)
    y = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    tl.store(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        y,
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def int8_matmul(a, b, a_scale, b_scale):
    """`a` and `b` are int8; the scales are float32, one a row of `a` and one a column of `b`."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=torch.float32, device=a.device)
    if out.numel() == 0:
        return out
    # int8 products on tensor cores want an inner block of at least 32.
    int8_matmul_kernel[(triton.cdiv(size_m, 32), triton.cdiv(size_n, 32))](
        a,
        b,
        a_scale,
        b_scale,
        out,
        size_m,
        size_n,
        size_k,
        *a.stride(),
        *b.stride(),
        a_scale.stride(0),
        b_scale.stride(0),
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=64,
    )
    return out
