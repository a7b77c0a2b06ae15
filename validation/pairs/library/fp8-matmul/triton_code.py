"""A scaled product of matrices in 8-bit floats, summed in float32."""

import torch
import triton
import triton.language as tl


@triton.jit
def fp8_matmul_kernel(
    a_ptr,
    b_ptr,
    scale_ptr,
    out_ptr,
    size_m,
    size_n,
    size_k,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Each program computes one tile, summed in float32."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, size_k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + rows[:, None] * a_stride_m + inner[None, :] * a_stride_k,
            mask=(rows[:, None] < size_m) & (inner[None, :] < size_k),
            other=0.0,
        )
        b = tl.load(
            b_ptr + inner[:, None] * b_stride_k + cols[None, :] * b_stride_n,
            mask=(inner[:, None] < size_k) & (cols[None, :] < size_n),
            other=0.0,
        )
        # float8_e5m2 is the upper half of a float16, so nothing is lost.
        acc = tl.dot(a.to(tl.float16), b.to(tl.float16), acc)
    y = acc * tl.load(scale_ptr)
    tl.store(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        y,
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def fp8_matmul(a, b, scale):
    """`a` and `b` are float8_e5m2 matrices of any strides, `scale` one float32."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=torch.float32, device=a.device)
    if out.numel() == 0:
        return out
    fp8_matmul_kernel[(triton.cdiv(size_m, 32), triton.cdiv(size_n, 32))](
        a,
        b,
        scale,
        out,
        size_m,
        size_n,
        size_k,
        *a.stride(),
        *b.stride(),
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=32,
    )
    return out
