import torch
import triton
import triton.language as tl


@triton.jit
def _forward(x, w, y, n, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.load(w + i % N, mask=i < n) * v * v, mask=i < n)


@triton.jit
def _backward(x, w, dy, dx, dw, n, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    g = tl.load(dy + i, mask=i < n, other=0.0)
    tl.store(dx + i, g * tl.load(w + i % N, mask=i < n) * v, mask=i < n)
    tl.atomic_add(dw + i % N, g * v * v, mask=i < n)


class ScaledSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        y = torch.empty_like(x)
        n = x.numel()
        _forward[(triton.cdiv(n, 256),)](x, weight, y, n, weight.numel(), BLOCK=256)
        ctx.save_for_backward(x, weight)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        dy = dy.contiguous()
        dx, dw = torch.empty_like(x), torch.zeros_like(weight)
        n = x.numel()
        _backward[(triton.cdiv(n, 256),)](x, weight, dy, dx, dw, n, weight.numel(), BLOCK=256)
        return dx, dw


def scaled_square(x, weight):
    return ScaledSquare.apply(x, weight)
