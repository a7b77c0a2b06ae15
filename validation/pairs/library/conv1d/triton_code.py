"""A convolution over batch, channel, position as a product of matrices that are never built."""

import torch
import triton
import triton.language as tl


@triton.jit
def conv1d_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    n_channels,
    n_taps,
    n_filters,
    n_positions,
    stride,
    x_stride_b,
    x_stride_c,
    x_stride_t,
    weight_stride_o,
    weight_stride_c,
    weight_stride_k,
    bias_stride,
    BLOCK_O: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program computes a block of filters at a block of positions of one sample."""
    batch = tl.program_id(0)
    filters = tl.program_id(1) * BLOCK_O + tl.arange(0, BLOCK_O)
    positions = tl.program_id(2) * BLOCK_T + tl.arange(0, BLOCK_T)
    n_inner = n_channels * n_taps
    acc = tl.zeros((BLOCK_O, BLOCK_T), dtype=tl.float32)
    for first in range(0, n_inner, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        channel, tap = inner // n_taps, inner % n_taps
        weight = tl.load(
            weight_ptr
            + filters[:, None] * weight_stride_o
            + (channel * weight_stride_c + tap * weight_stride_k)[None, :],
            mask=(filters[:, None] < n_filters) & (inner[None, :] < n_inner),
            other=0.0,
        )
        x = tl.load(
            x_ptr
            + batch * x_stride_b
            + channel[:, None] * x_stride_c
            + (positions[None, :] * stride + tap[:, None]) * x_stride_t,
            mask=(inner[:, None] < n_inner) & (positions[None, :] < n_positions),
            other=0.0,
        )
        acc = tl.dot(weight, x, acc, input_precision="ieee")
    bias = tl.load(bias_ptr + filters * bias_stride, mask=filters < n_filters, other=0.0)
    acc += bias.to(tl.float32)[:, None]
    tl.store(
        out_ptr + (batch * n_filters + filters[:, None]) * n_positions + positions[None, :],
        acc,
        mask=(filters[:, None] < n_filters) & (positions[None, :] < n_positions),
    )


def conv1d(x, weight, bias, stride):
    """`x` is batch, channel, position; `weight` is filter, channel, tap; any memory layout."""
    n_batches, n_channels, length = x.shape
    n_filters, _, n_taps = weight.shape
    n_positions = (length - n_taps) // stride + 1
    out = torch.empty((n_batches, n_filters, n_positions), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    grid = (n_batches, triton.cdiv(n_filters, 16), triton.cdiv(n_positions, 64))
    conv1d_kernel[grid](
        x,
        weight,
        bias,
        out,
        n_channels,
        n_taps,
        n_filters,
        n_positions,
        stride,
        *x.stride(),
        *weight.stride(),
        bias.stride(0),
        BLOCK_O=16,
        BLOCK_T=64,
        BLOCK_K=32,
    )
    return out
