import torch
import triton
import triton.language as tl

BLOCK = 128


@triton.jit
def _shift(value):
    return value


@triton.jit
def _scale_kernel(
    x_ptr,
    out_ptr,
    factor,
    n,
    BLOCK: tl.constexpr,
):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(x_ptr + offsets, mask=mask)
    value = _shift(value)
    value *= factor
    tl.store(out_ptr + offsets, value, mask=mask)


def scaled(x, factor):
    """Multiply by a factor."""
    if x.stride(-1) != 1:
        x = x.contiguous()
    out = torch.empty_like(x)
    cleared = out.zero_()
    n = x.numel()
    if factor == 0:
        return out
    _scale_kernel[(triton.cdiv(n, BLOCK),)](x, out, factor, n, BLOCK=BLOCK)
    return out
