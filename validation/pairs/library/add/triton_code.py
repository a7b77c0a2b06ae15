"""Add two vectors, element by element."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    n_elements,
    x_stride,
    y_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program handles one block of the vectors."""
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    # The last block reaches over the end of the vectors.
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets * x_stride, mask=mask)
    y = tl.load(y_ptr + offsets * y_stride, mask=mask)
    # In float32; the store rounds to the output's dtype.
    x = x.to(tl.float32)
    y = y.to(tl.float32)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y):
    """Add two vectors, element by element.

    `x` and `y` are vectors of one length, of any stride.
    """
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n_elements = x.numel()
    if n_elements == 0:
        return out
    block_size = 1024
    grid = (triton.cdiv(n_elements, block_size),)
    add_kernel[grid](
        x,
        y,
        out,
        n_elements,
        x.stride(0),
        y.stride(0),
        BLOCK_SIZE=block_size,
    )
    return out
