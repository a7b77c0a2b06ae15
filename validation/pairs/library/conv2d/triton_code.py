"""A convolution over images as a product of matrices that are never built."""

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    n_images,
    n_channels,
    taps_h,
    taps_w,
    n_filters,
    out_h,
    out_w,
    stride,
    x_stride_b,
    x_stride_c,
    x_stride_h,
    x_stride_w,
    weight_stride_o,
    weight_stride_c,
    weight_stride_h,
    weight_stride_w,
    bias_stride,
    BLOCK_P: tl.constexpr,
    BLOCK_O: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program computes a block of filters at a block of pixels, of whatever images."""
    pixels = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    filters = tl.program_id(1) * BLOCK_O + tl.arange(0, BLOCK_O)
    image, y, x = pixels // (out_h * out_w), (pixels // out_w) % out_h, pixels % out_w
    inside = pixels < n_images * out_h * out_w
    corner = image * x_stride_b + y * stride * x_stride_h + x * stride * x_stride_w
    n_inner = n_channels * taps_h * taps_w
    acc = tl.zeros((BLOCK_P, BLOCK_O), dtype=tl.float32)
    for first in range(0, n_inner, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        channel = inner // (taps_h * taps_w)
        tap_h, tap_w = (inner // taps_w) % taps_h, inner % taps_w
        window = channel * x_stride_c + tap_h * x_stride_h + tap_w * x_stride_w
        patch = tl.load(
            x_ptr + corner[:, None] + window[None, :],
            mask=inside[:, None] & (inner[None, :] < n_inner),
            other=0.0,
        )
        place = channel * weight_stride_c + tap_h * weight_stride_h + tap_w * weight_stride_w
        weight = tl.load(
            weight_ptr + place[:, None] + filters[None, :] * weight_stride_o,
            mask=(inner[:, None] < n_inner) & (filters[None, :] < n_filters),
            other=0.0,
        )
        acc = tl.dot(patch, weight, acc, input_precision="ieee")
    bias = tl.load(bias_ptr + filters * bias_stride, mask=filters < n_filters, other=0.0)
    acc += bias.to(tl.float32)[None, :]
    # The output stands with its filters before its pixels.
    pixel = (image * n_filters * out_h + y) * out_w + x
    tl.store(
        out_ptr + pixel[:, None] + filters[None, :] * (out_h * out_w),
        acc,
        mask=inside[:, None] & (filters[None, :] < n_filters),
    )


def conv2d(x, weight, bias, stride):
    """`x` is image, channel, row, column; `weight` filter, channel, row, column; any layout."""
    n_images, n_channels, height, width = x.shape
    n_filters, _, taps_h, taps_w = weight.shape
    out_h, out_w = (height - taps_h) // stride + 1, (width - taps_w) // stride + 1
    out = torch.empty((n_images, n_filters, out_h, out_w), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    conv2d_kernel[(triton.cdiv(n_images * out_h * out_w, 64), triton.cdiv(n_filters, 16))](
        x,
        weight,
        bias,
        out,
        n_images,
        n_channels,
        taps_h,
        taps_w,
        n_filters,
        out_h,
        out_w,
        stride,
        *x.stride(),
        *weight.stride(),
        bias.stride(0),
        BLOCK_P=64,
        BLOCK_O=16,
        BLOCK_K=32,
    )
    return out
