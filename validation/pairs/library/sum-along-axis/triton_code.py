"""Add up the elements along one axis of a matrix."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_along_axis_kernel(
    x_ptr,
    out_ptr,
    n_kept,
    n_reduced,
    kept_stride,
    reduced_stride,
    BLOCK_KEPT: tl.constexpr,
    BLOCK_REDUCED: tl.constexpr,
):
    """Each program reduces a block of lines, tile by tile, in float32."""
    kept = tl.program_id(0) * BLOCK_KEPT + tl.arange(0, BLOCK_KEPT)
    acc = tl.full((BLOCK_KEPT, BLOCK_REDUCED), 0.0, dtype=tl.float32)
    for first in range(0, n_reduced, BLOCK_REDUCED):
        reduced = first + tl.arange(0, BLOCK_REDUCED)
        mask = (kept[:, None] < n_kept) & (reduced[None, :] < n_reduced)
        x = tl.load(
            x_ptr + kept[:, None] * kept_stride + reduced[None, :] * reduced_stride,
            mask=mask,
            other=0.0,
        ).to(tl.float32)
        acc = acc + x
    tl.store(out_ptr + kept, tl.sum(acc, axis=1), mask=kept < n_kept)


def sum_along_axis(x, axis):
    """Add up the elements along one axis of a matrix of any strides.

    The axis that stays and the axis that goes are told apart by their strides alone.
    """
    n_kept, n_reduced = x.shape[1 - axis], x.shape[axis]
    out = torch.empty((n_kept,), dtype=x.dtype, device=x.device)
    if n_kept == 0:
        return out
    grid = (triton.cdiv(n_kept, 16),)
    sum_along_axis_kernel[grid](
        x,
        out,
        n_kept,
        n_reduced,
        x.stride(1 - axis),
        x.stride(axis),
        BLOCK_KEPT=16,
        BLOCK_REDUCED=64,
    )
    return out
