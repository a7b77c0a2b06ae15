"""Dropout with a seed; nothing is kept for the gradient, which draws the same numbers again."""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(
    x_ptr,
    out_ptr,
    n_rows,
    n_cols,
    stride_m,
    stride_n,
    p,
    scale,
    seed,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program handles a block of the flattened matrix, whose places count the numbers."""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_rows * n_cols
    place = (offsets // n_cols) * stride_m + (offsets % n_cols) * stride_n
    x = tl.load(x_ptr + place, mask=mask, other=0.0).to(tl.float32)
    kept = tl.rand(seed, offsets) >= p
    tl.store(out_ptr + offsets, tl.where(kept, x * scale, 0.0), mask=mask)


def dropped(x, p, seed):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    dropout_kernel[(triton.cdiv(out.numel(), 512),)](
        x, out, n_rows, n_cols, *x.stride(), p, 1.0 / (1.0 - p), seed, BLOCK_SIZE=512
    )
    return out


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        return dropped(x, p, seed)

    @staticmethod
    def backward(ctx, grad):
        return dropped(grad, ctx.p, ctx.seed), None, None


def dropout(x, p, seed):
    """`x` is a matrix of any strides, 0 <= p < 1."""
    return Dropout.apply(x, p, seed)
