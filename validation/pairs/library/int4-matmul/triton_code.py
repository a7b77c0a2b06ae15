"""x times a matrix of 4-bit weights, unpacked in registers."""

import torch
import triton
import triton.language as tl


@triton.jit
def int4_matmul_kernel(
    x_ptr,
    packed_ptr,
    scale_ptr,
    out_ptr,
    size_m,
    size_n,
    size_k,
    x_stride_m,
    x_stride_k,
    packed_stride_k,
    packed_stride_n,
    scale_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program computes one tile."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, size_k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        x = tl.load(
            x_ptr + rows[:, None] * x_stride_m + inner[None, :] * x_stride_k,
            mask=(rows[:, None] < size_m) & (inner[None, :] < size_k),
            other=0.0,
        )
        packed = tl.load(
            packed_ptr + (inner[:, None] // 2) * packed_stride_k + cols[None, :] * packed_stride_n,
            mask=(inner[:, None] < size_k) & (cols[None, :] < size_n),
            other=0,
        ).to(tl.int32)
        # Odd rows stand in the upper half of a byte.
        weights = (packed >> ((inner[:, None] % 2) * 4)) & 15
        acc = tl.dot(x, weights.to(tl.float32) - 8.0, acc, input_precision="ieee")
    scale = tl.load(scale_ptr + cols * scale_stride, mask=cols < size_n, other=0.0)
    tl.store(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        acc * scale[None, :],
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def int4_matmul(x, packed, scale):
    """`packed` is uint8 with half as many rows as `x` has columns; one scale a column."""
    size_m, size_k = x.shape
    size_n = packed.shape[1]
    out = torch.empty((size_m, size_n), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    int4_matmul_kernel[(triton.cdiv(size_m, 16), triton.cdiv(size_n, 32))](
        x,
        packed,
        scale,
        out,
        size_m,
        size_n,
        size_k,
        *x.stride(),
        *packed.stride(),
        scale.stride(0),
        BLOCK_M=16,
        BLOCK_N=32,
        BLOCK_K=32,
    )
    return out
