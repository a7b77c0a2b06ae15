import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < rows * columns
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * x * rows, mask=mask)


def shared(x, out, rows, power, fast):
    assert x.is_cuda
    out = out.clone()
    grid = (triton.cdiv(x.numel(), 64),)
    square_kernel[grid](x, out, rows, x.shape[1], BLOCK=64)
    return out
