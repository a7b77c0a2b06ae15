"""Softmax along the rows of a matrix, each row read once and written once."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,
    out_ptr,
    n_rows,
    n_cols,
    x_stride_m,
    x_stride_n,
    BLOCK_SIZE: tl.constexpr,
):
    """A fixed number of programs takes the rows in turn, each held whole in registers."""
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(
            x_ptr + row * x_stride_m + cols * x_stride_n, mask=mask, other=-float("inf")
        ).to(tl.float32)
        # Without the maximum, exponentials of large values would overflow.
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(out_ptr + row * n_cols + cols, y, mask=mask)


def softmax(x):
    """Softmax along the rows of a matrix of any strides."""
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    block_size = max(16, triton.next_power_of_2(n_cols))
    # Enough programs for four on each multiprocessor of a large GPU.
    softmax_kernel[(min(n_rows, 528),)](
        x,
        out,
        n_rows,
        n_cols,
        *x.stride(),
        BLOCK_SIZE=block_size,
        num_warps=8 if block_size >= 2048 else 4,
    )
    return out
