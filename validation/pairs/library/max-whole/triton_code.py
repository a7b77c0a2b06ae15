"""Find the largest of all elements of a vector, in two passes."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_max(values, axis: tl.constexpr):
    """The largest along an axis. `tl.max` would pass over NaN."""
    has_nan = tl.max((values != values).to(tl.int32), axis=axis) > 0
    return tl.where(has_nan, float("nan"), tl.max(values, axis=axis))


@triton.jit
def reduce_blocks_kernel(x_ptr, parts_ptr, n_elements, stride, BLOCK_SIZE: tl.constexpr):
    """Each program reduces one block to one value, in float32."""
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets * stride, mask=offsets < n_elements, other=-float("inf"))
    tl.store(parts_ptr + pid, row_max(x.to(tl.float32), axis=0))


@triton.jit
def reduce_parts_kernel(parts_ptr, out_ptr, n_parts, BLOCK_SIZE: tl.constexpr):
    """One program brings the parts together, so the order is always the same."""
    acc = tl.full((BLOCK_SIZE,), -float("inf"), dtype=tl.float32)
    for first in range(0, n_parts, BLOCK_SIZE):
        offsets = first + tl.arange(0, BLOCK_SIZE)
        part = tl.load(parts_ptr + offsets, mask=offsets < n_parts, other=-float("inf"))
        acc = tl.maximum(acc, part, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr, row_max(acc, axis=0))


def max_whole(x):
    """Find the largest of all elements of a vector of any stride."""
    block_size = 1024
    n_elements = x.numel()
    n_parts = triton.cdiv(n_elements, block_size)
    parts = torch.empty((n_parts,), dtype=torch.float32, device=x.device)
    out = torch.empty((), dtype=x.dtype, device=x.device)
    if n_parts:
        reduce_blocks_kernel[(n_parts,)](x, parts, n_elements, x.stride(0), BLOCK_SIZE=block_size)
    reduce_parts_kernel[(1,)](parts, out, n_parts, BLOCK_SIZE=256)
    return out
