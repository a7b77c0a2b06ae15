"""A product of which whole blocks of the first factor are left out and not even read."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_sparse_matmul_kernel(
    a_ptr,
    b_ptr,
    kept_ptr,
    out_ptr,
    size_m,
    size_n,
    size_k,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    kept_stride_m,
    kept_stride_k,
    BLOCK: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Each program computes a row of blocks for a stripe of columns."""
    block_row = tl.program_id(0)
    rows = block_row * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK, BLOCK_N), dtype=tl.float32)
    for block in range(tl.cdiv(size_k, BLOCK)):
        kept = tl.load(kept_ptr + block_row * kept_stride_m + block * kept_stride_k)
        if kept:
            inner = block * BLOCK + tl.arange(0, BLOCK)
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
            acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(
        out_ptr + rows[:, None] * size_n + cols[None, :],
        acc,
        mask=(rows[:, None] < size_m) & (cols[None, :] < size_n),
    )


def block_sparse_matmul(a, b, kept):
    """`kept` says for each block of 16 by 16 of `a` whether it counts."""
    size_m, size_k = a.shape
    size_n = b.shape[1]
    out = torch.empty((size_m, size_n), dtype=a.dtype, device=a.device)
    if out.numel() == 0:
        return out
    block_sparse_matmul_kernel[(triton.cdiv(size_m, 16), triton.cdiv(size_n, 32))](
        a,
        b,
        kept,
        out,
        size_m,
        size_n,
        size_k,
        *a.stride(),
        *b.stride(),
        *kept.stride(),
        BLOCK=16,
        BLOCK_N=32,
    )
    return out
