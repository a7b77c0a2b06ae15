"""Softmax along the rows of a matrix, each row read twice: maximum and sum come from one pass."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_online_kernel(
    x_ptr,
    out_ptr,
    n_cols,
    x_stride_m,
    x_stride_n,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program takes one row. A larger maximum rescales the sum of what came before it."""
    row = tl.program_id(0)
    peak = -float("inf")
    total = 0.0
    for first in range(0, n_cols, BLOCK_SIZE):
        cols = first + tl.arange(0, BLOCK_SIZE)
        x = tl.load(
            x_ptr + row * x_stride_m + cols * x_stride_n, mask=cols < n_cols, other=-float("inf")
        ).to(tl.float32)
        higher = tl.maximum(peak, tl.max(x, axis=0))
        # A block of infinities alone must not give the difference of two infinities.
        shift = tl.where(higher == -float("inf"), 0.0, higher)
        total = total * tl.exp(peak - shift) + tl.sum(tl.exp(x - shift), axis=0)
        peak = higher
    for first in range(0, n_cols, BLOCK_SIZE):
        cols = first + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_stride_m + cols * x_stride_n, mask=cols < n_cols, other=0.0).to(
            tl.float32
        )
        tl.store(out_ptr + row * n_cols + cols, tl.exp(x - peak) / total, mask=cols < n_cols)


def softmax(x):
    """Softmax along the rows of a matrix of any strides."""
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    block_size = min(1024, max(16, triton.next_power_of_2(n_cols)))
    softmax_online_kernel[(n_rows,)](x, out, n_cols, *x.stride(), BLOCK_SIZE=block_size)
    return out
