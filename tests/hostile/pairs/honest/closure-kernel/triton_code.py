import functools

import torch
import triton
import triton.language as tl


@triton.jit
def gauss(x):
    return tl.exp(-(x * x))


@triton.jit
def log1p_abs(x):
    return tl.log(1.0 + tl.abs(x))


@functools.lru_cache(maxsize=None)
def make_kernel(op):
    @triton.jit
    def elementwise(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask)
        tl.store(y_ptr + offs, op(x), mask=mask)

    return elementwise


def _apply(op, x):
    y = torch.empty_like(x)
    n = x.numel()
    make_kernel(op)[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y


def unary_chain(x):
    x = x.contiguous()
    return _apply(gauss, x), _apply(log1p_abs, x)
