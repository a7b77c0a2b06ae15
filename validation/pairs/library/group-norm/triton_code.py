"""Group normalisation of images: channels of a group share mean and variance."""

import torch
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    n_channels,
    group_size,
    height,
    width,
    stride_n,
    stride_c,
    stride_h,
    stride_w,
    weight_stride,
    bias_stride,
    eps,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program normalises one group of one image: two passes for the moments, one to write."""
    image = tl.program_id(0)
    group = tl.program_id(1)
    area = height * width
    count = group_size * area
    x_ptr += image * stride_n + group * group_size * stride_c
    out_ptr += (image * n_channels + group * group_size) * area

    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for first in range(0, count, BLOCK_SIZE):
        at = first + tl.arange(0, BLOCK_SIZE)
        place = (at // area) * stride_c + (at % area // width) * stride_h + (at % width) * stride_w
        total += tl.load(x_ptr + place, mask=at < count, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / count

    squares = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for first in range(0, count, BLOCK_SIZE):
        at = first + tl.arange(0, BLOCK_SIZE)
        place = (at // area) * stride_c + (at % area // width) * stride_h + (at % width) * stride_w
        x = tl.load(x_ptr + place, mask=at < count, other=0.0).to(tl.float32)
        centred = tl.where(at < count, x - mean, 0.0)
        squares += centred * centred
    inverse = tl.rsqrt(tl.sum(squares, axis=0) / count + eps)

    for first in range(0, count, BLOCK_SIZE):
        at = first + tl.arange(0, BLOCK_SIZE)
        mask = at < count
        place = (at // area) * stride_c + (at % area // width) * stride_h + (at % width) * stride_w
        channel = group * group_size + at // area
        x = tl.load(x_ptr + place, mask=mask, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + channel * weight_stride, mask=mask, other=0.0)
        bias = tl.load(bias_ptr + channel * bias_stride, mask=mask, other=0.0)
        y = (x - mean) * inverse * weight.to(tl.float32) + bias.to(tl.float32)
        tl.store(out_ptr + at, y, mask=mask)


def group_norm(x, groups, weight, bias, eps=1e-5):
    """`x` is images by channels by height by width, of any strides."""
    n_images, n_channels, height, width = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    group_norm_kernel[(n_images, groups)](
        x,
        weight,
        bias,
        out,
        n_channels,
        n_channels // groups,
        height,
        width,
        *x.stride(),
        weight.stride(0),
        bias.stride(0),
        eps,
        BLOCK_SIZE=256,
    )
    return out
