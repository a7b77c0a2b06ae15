"""Each group of rows times a matrix of its own, as experts in a mixture need it."""

import torch
import triton
import triton.language as tl


@triton.jit
def grouped_matmul_kernel(
    x_ptr,
    weights_ptr,
    starts_ptr,
    out_ptr,
    size_n,
    size_k,
    x_stride_m,
    x_stride_k,
    w_stride_g,
    w_stride_k,
    w_stride_n,
    starts_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program computes one stripe of columns for one group, tile by tile of its rows."""
    group = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    start = tl.load(starts_ptr + group * starts_stride)
    end = tl.load(starts_ptr + (group + 1) * starts_stride)
    w_ptr = weights_ptr + group * w_stride_g
    # Groups differ in size, and may be empty.
    for first_row in range(start, end, BLOCK_M):
        rows = first_row + tl.arange(0, BLOCK_M)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for first in range(0, size_k, BLOCK_K):
            inner = first + tl.arange(0, BLOCK_K)
            x = tl.load(
                x_ptr + rows[:, None] * x_stride_m + inner[None, :] * x_stride_k,
                mask=(rows[:, None] < end) & (inner[None, :] < size_k),
                other=0.0,
            )
            w = tl.load(
                w_ptr + inner[:, None] * w_stride_k + cols[None, :] * w_stride_n,
                mask=(inner[:, None] < size_k) & (cols[None, :] < size_n),
                other=0.0,
            )
            acc = tl.dot(x, w, acc, input_precision="ieee")
        tl.store(
            out_ptr + rows[:, None] * size_n + cols[None, :],
            acc,
            mask=(rows[:, None] < end) & (cols[None, :] < size_n),
        )


def grouped_matmul(x, weights, starts):
    """`x` is rows by k, `weights` groups by k by n; `starts` holds groups + 1 row numbers."""
    n_groups, size_k, size_n = weights.shape
    out = torch.empty((x.shape[0], size_n), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    grouped_matmul_kernel[(n_groups, triton.cdiv(size_n, 32))](
        x,
        weights,
        starts,
        out,
        size_n,
        size_k,
        *x.stride(),
        *weights.stride(),
        starts.stride(0),
        BLOCK_M=16,
        BLOCK_N=32,
        BLOCK_K=32,
    )
    return out
