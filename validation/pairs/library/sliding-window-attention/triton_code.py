"""Attention within a sliding window; blocks of keys outside it are not even read."""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def sliding_window_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    n_heads,
    n_positions,
    n_dims,
    window,
    scale,
    q_stride_b,
    q_stride_h,
    q_stride_t,
    q_stride_d,
    k_stride_b,
    k_stride_h,
    k_stride_t,
    k_stride_d,
    v_stride_b,
    v_stride_h,
    v_stride_t,
    v_stride_d,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Each program computes a block of queries of one head."""
    head = tl.program_id(1)
    batch, inner = head // n_heads, head % n_heads
    start = tl.program_id(0) * BLOCK_M
    queries = start + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, BLOCK_D)
    inside = dims[None, :] < n_dims
    q_base = q_ptr + batch * q_stride_b + inner * q_stride_h
    k_base = k_ptr + batch * k_stride_b + inner * k_stride_h
    v_base = v_ptr + batch * v_stride_b + inner * v_stride_h
    q = tl.load(
        q_base + queries[:, None] * q_stride_t + dims[None, :] * q_stride_d,
        mask=(queries[:, None] < n_positions) & inside,
        other=0.0,
    )
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, BLOCK_D), dtype=tl.float32)
    begin = (tl.maximum(start - window + 1, 0) // BLOCK_N) * BLOCK_N
    end = tl.minimum(start + BLOCK_M, n_positions)
    for first in range(begin, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        mask = (keys[:, None] < n_positions) & inside
        k = tl.load(
            k_base + keys[:, None] * k_stride_t + dims[None, :] * k_stride_d, mask=mask, other=0.0
        )
        v = tl.load(
            v_base + keys[:, None] * v_stride_t + dims[None, :] * v_stride_d, mask=mask, other=0.0
        )
        distance = queries[:, None] - keys[None, :]
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores = tl.where((distance >= 0) & (distance < window), scores, float("-inf"))
        higher = tl.maximum(best, tl.max(scores, axis=1))
        # A query may see no key of this block: minus infinity less itself would be NaN.
        anchor = tl.where(higher == float("-inf"), 0.0, higher)
        # Scaled only now: rounded in one step, a product less itself would not be zero.
        fade = tl.exp((best - anchor) * scale)
        weights = tl.exp((scores - anchor[:, None]) * scale)
        total = total * fade + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(v.dtype), v, acc * fade[:, None], input_precision="ieee")
        best = higher
    tl.store(
        out_ptr + (head * n_positions + queries[:, None]) * n_dims + dims[None, :],
        acc / total[:, None],
        mask=(queries[:, None] < n_positions) & inside,
    )


def sliding_window_attention(q, k, v, window):
    """All three are batch, head, position, feature, of one shape and any memory layout."""
    n_batches, n_heads, n_positions, n_dims = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    if out.numel() == 0:
        return out
    sliding_window_kernel[(triton.cdiv(n_positions, 32), n_batches * n_heads)](
        q,
        k,
        v,
        out,
        n_heads,
        n_positions,
        n_dims,
        window,
        1.0 / math.sqrt(n_dims),
        *q.stride(),
        *k.stride(),
        *v.stride(),
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_D=max(16, triton.next_power_of_2(n_dims)),
    )
    return out
