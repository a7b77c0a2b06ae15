"""RMS normalization by a fixed number of programs, each of which loads the weight only once."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_persistent_kernel(
    x_ptr,
    weight_ptr,
    out_ptr,
    n_rows,
    n_cols,
    x_stride_m,
    x_stride_n,
    weight_stride,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Short rows are taken several at a time, so that all threads of a program have work."""
    cols = tl.arange(0, WIDTH)[None, :]
    weight = tl.load(weight_ptr + cols * weight_stride, mask=cols < n_cols, other=0.0)
    weight = weight.to(tl.float32)
    blocks = tl.cdiv(n_rows, ROWS)
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        rows = (block * ROWS + tl.arange(0, ROWS))[:, None]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_stride_m + cols * x_stride_n, mask=mask, other=0.0)
        x = x.to(tl.float32)
        inverse = tl.rsqrt(tl.sum(x * x, axis=1) / n_cols + 1e-6)
        tl.store(out_ptr + rows * n_cols + cols, x * inverse[:, None] * weight, mask=mask)


def rms_norm_rows(x, weight):
    """Each row divided by its root mean square, times a weight with one value a column."""
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    width = max(16, triton.next_power_of_2(n_cols))
    rows = max(1, 2048 // width)
    # Enough programs for four on each multiprocessor of a large GPU.
    grid = (min(triton.cdiv(n_rows, rows), 528),)
    rms_persistent_kernel[grid](
        x,
        weight,
        out,
        n_rows,
        n_cols,
        *x.stride(),
        weight.stride(0),
        ROWS=rows,
        WIDTH=width,
        num_warps=8 if width >= 4096 else 4,
    )
    return out
