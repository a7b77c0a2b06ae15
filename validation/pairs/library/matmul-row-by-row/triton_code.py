"""Matrix product without tiles: each program computes a part of one row by multiply and add."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_row_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    size_n,
    size_k,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Without `tl.dot`, on ordinary arithmetic units; `b` is read again for every row of `a`."""
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for first in range(0, size_k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + row * a_stride_m + inner * a_stride_k, mask=inner < size_k, other=0.0)
        b = tl.load(
            b_ptr + inner[:, None] * b_stride_k + cols[None, :] * b_stride_n,
            mask=(inner[:, None] < size_k) & (cols[None, :] < size_n),
            other=0.0,
        )
        acc += tl.sum(a.to(tl.float32)[:, None] * b.to(tl.float32), axis=0)
    tl.store(out_ptr + row * size_n + cols, acc, mask=cols < size_n)


def matmul(a, b):
    """The product of two matrices of any strides."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=a.dtype, device=a.device)
    if out.numel() == 0:
        return out
    matmul_row_kernel[(size_m, triton.cdiv(size_n, 128))](
        a, b, out, size_n, size_k, *a.stride(), *b.stride(), BLOCK_N=128, BLOCK_K=64
    )
    return out
