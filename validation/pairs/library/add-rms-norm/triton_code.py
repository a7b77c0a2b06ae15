"""Add a residual and normalise the sum, in one pass over memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_rms_norm_kernel(
    x_ptr,
    residual_ptr,
    weight_ptr,
    out_ptr,
    total_ptr,
    n_cols,
    x_stride_m,
    x_stride_n,
    residual_stride_m,
    residual_stride_n,
    weight_stride,
    eps,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program handles one row."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride_m + cols * x_stride_n, mask=mask, other=0.0)
    residual = tl.load(
        residual_ptr + row * residual_stride_m + cols * residual_stride_n, mask=mask, other=0.0
    )
    weight = tl.load(weight_ptr + cols * weight_stride, mask=mask, other=0.0)
    total = x.to(tl.float32) + residual.to(tl.float32)
    tl.store(total_ptr + row * n_cols + cols, total, mask=mask)
    # The unrounded sum is what gets normalised.
    inverse = tl.rsqrt(tl.sum(total * total, axis=0) / n_cols + eps)
    y = total * inverse * weight.to(tl.float32)
    tl.store(out_ptr + row * n_cols + cols, y, mask=mask)


def add_rms_norm(x, residual, weight, eps=1e-6):
    """Returns the normalised sum of two matrices of any strides, and the sum."""
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    total = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel():
        add_rms_norm_kernel[(n_rows,)](
            x,
            residual,
            weight,
            out,
            total,
            n_cols,
            *x.stride(),
            *residual.stride(),
            weight.stride(0),
            eps,
            BLOCK_SIZE=max(16, triton.next_power_of_2(n_cols)),
        )
    return out, total
