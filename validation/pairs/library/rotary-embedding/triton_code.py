"""Rotary position embedding; its gradient is the rotation back."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotate_kernel(
    x_ptr,
    cos_ptr,
    sin_ptr,
    out_ptr,
    n_positions,
    n_heads,
    half,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_stride_d,
    cos_stride_t,
    cos_stride_d,
    sin_stride_t,
    sin_stride_d,
    BACK: tl.constexpr,
    BLOCK_H: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Each program rotates a block of heads at one position, which share their angles."""
    position = tl.program_id(0) % n_positions
    batch = tl.program_id(0) // n_positions
    heads = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    pairs = tl.arange(0, BLOCK_D)
    mask = (heads[:, None] < n_heads) & (pairs[None, :] < half)
    inside = pairs < half
    cos = tl.load(cos_ptr + position * cos_stride_t + pairs * cos_stride_d, mask=inside, other=1.0)
    sin = tl.load(sin_ptr + position * sin_stride_t + pairs * sin_stride_d, mask=inside, other=0.0)
    if BACK:
        sin = -sin
    source = x_ptr + batch * x_stride_b + position * x_stride_t + heads[:, None] * x_stride_h
    first = tl.load(source + pairs[None, :] * x_stride_d, mask=mask, other=0.0).to(tl.float32)
    second = tl.load(source + (half + pairs[None, :]) * x_stride_d, mask=mask, other=0.0).to(
        tl.float32
    )
    left = first * cos[None, :] - second * sin[None, :]
    right = second * cos[None, :] + first * sin[None, :]
    target = out_ptr + (tl.program_id(0) * n_heads + heads[:, None]) * 2 * half + pairs[None, :]
    tl.store(target, left, mask=mask)
    tl.store(target + half, right, mask=mask)


def rotate(x, cos, sin, back):
    n_batches, n_positions, n_heads, size = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    half = size // 2
    rotate_kernel[(n_batches * n_positions, triton.cdiv(n_heads, 4))](
        x,
        cos,
        sin,
        out,
        n_positions,
        n_heads,
        half,
        *x.stride(),
        *cos.stride(),
        *sin.stride(),
        BACK=back,
        BLOCK_H=4,
        BLOCK_D=max(16, triton.next_power_of_2(half)),
    )
    return out


class RotaryEmbedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin):
        ctx.save_for_backward(cos, sin)
        return rotate(x, cos, sin, back=False)

    @staticmethod
    def backward(ctx, grad):
        cos, sin = ctx.saved_tensors
        return rotate(grad, cos, sin, back=True), None, None


def rotary_embedding(x, cos, sin):
    """`x` is batch, position, head, feature; `cos` and `sin` are position by half the features."""
    return RotaryEmbedding.apply(x, cos, sin)
