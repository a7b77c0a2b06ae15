"""Causal attention without ever holding the scores, forward and backward.

Forward keeps the logarithm of each row's normalizer; backward computes the probabilities again
from it, once by blocks of queries and once by blocks of keys.

Scores are scaled only after the maximum is taken from them. A compiler may round a product and a
difference in one step: the greatest score, scaled, less itself would then not be zero.
"""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def load_rows(base, rows, dims, n_rows, n_dims, stride_t, stride_d):
    """A block of rows of one head, with zeros beyond its edges."""
    mask = (rows[:, None] < n_rows) & (dims[None, :] < n_dims)
    return tl.load(base + rows[:, None] * stride_t + dims[None, :] * stride_d, mask=mask, other=0.0)


@triton.jit
def store_rows(base, rows, dims, n_rows, n_dims, values):
    """A block of rows of one head, contiguous."""
    mask = (rows[:, None] < n_rows) & (dims[None, :] < n_dims)
    tl.store(base + rows[:, None] * n_dims + dims[None, :], values, mask=mask)


@triton.jit
def probabilities(q, k, normalizer, queries, keys, n_positions, scale):
    """Of a block of queries for a block of keys, once the normalizers are known."""
    scores = tl.dot(q, tl.trans(k), input_precision="ieee")
    seen = (queries[:, None] >= keys[None, :]) & (queries[:, None] < n_positions)
    return tl.where(seen, tl.exp((scores - normalizer[:, None]) * scale), 0.0)


@triton.jit
def attention_forward_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    normalizer_ptr,
    n_heads,
    n_positions,
    n_dims,
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
    queries = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, BLOCK_D)
    q_base = q_ptr + batch * q_stride_b + inner * q_stride_h
    k_base = k_ptr + batch * k_stride_b + inner * k_stride_h
    v_base = v_ptr + batch * v_stride_b + inner * v_stride_h
    q = load_rows(q_base, queries, dims, n_positions, n_dims, q_stride_t, q_stride_d)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, BLOCK_D), dtype=tl.float32)
    # Keys beyond the last query of this block are not seen by any of them.
    end = tl.minimum((tl.program_id(0) + 1) * BLOCK_M, n_positions)
    for first in range(0, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_base, keys, dims, n_positions, n_dims, k_stride_t, k_stride_d)
        v = load_rows(v_base, keys, dims, n_positions, n_dims, v_stride_t, v_stride_d)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores = tl.where(queries[:, None] >= keys[None, :], scores, float("-inf"))
        # What was added up so far is rescaled as larger scores appear. The first block holds a
        # key for every query, so the maximum is finite from there on.
        higher = tl.maximum(best, tl.max(scores, axis=1))
        fade = tl.exp((best - higher) * scale)
        weights = tl.exp((scores - higher[:, None]) * scale)
        total = total * fade + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(v.dtype), v, acc * fade[:, None], input_precision="ieee")
        best = higher
    out_base = out_ptr + head * n_positions * n_dims
    store_rows(out_base, queries, dims, n_positions, n_dims, acc / total[:, None])
    tl.store(
        normalizer_ptr + head * n_positions + queries,
        best + tl.log(total) / scale,
        mask=queries < n_positions,
    )


@triton.jit
def attention_query_gradient_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    normalizer_ptr,
    delta_ptr,
    grad_q_ptr,
    n_heads,
    n_positions,
    n_dims,
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
    grad_stride_b,
    grad_stride_h,
    grad_stride_t,
    grad_stride_d,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Each program computes the gradient of a block of queries of one head.

    And keeps, for the keys, the mean gradient of each query's probabilities.
    """
    head = tl.program_id(1)
    batch, inner = head // n_heads, head % n_heads
    queries = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = queries < n_positions
    dims = tl.arange(0, BLOCK_D)
    q_base = q_ptr + batch * q_stride_b + inner * q_stride_h
    k_base = k_ptr + batch * k_stride_b + inner * k_stride_h
    v_base = v_ptr + batch * v_stride_b + inner * v_stride_h
    grad_base = grad_ptr + batch * grad_stride_b + inner * grad_stride_h
    q = load_rows(q_base, queries, dims, n_positions, n_dims, q_stride_t, q_stride_d)
    grad = load_rows(grad_base, queries, dims, n_positions, n_dims, grad_stride_t, grad_stride_d)
    normalizer = tl.load(normalizer_ptr + head * n_positions + queries, mask=inside, other=0.0)
    end = tl.minimum((tl.program_id(0) + 1) * BLOCK_M, n_positions)
    # The output times its gradient would give the same in theory; but only what is made of the
    # very same products cancels where a query looks at a single key.
    delta = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for first in range(0, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_base, keys, dims, n_positions, n_dims, k_stride_t, k_stride_d)
        v = load_rows(v_base, keys, dims, n_positions, n_dims, v_stride_t, v_stride_d)
        weights = probabilities(q, k, normalizer, queries, keys, n_positions, scale)
        delta += tl.sum(weights * tl.dot(grad, tl.trans(v), input_precision="ieee"), axis=1)
    tl.store(delta_ptr + head * n_positions + queries, delta, mask=inside)
    grad_q = tl.zeros((BLOCK_M, BLOCK_D), dtype=tl.float32)
    for first in range(0, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        k = load_rows(k_base, keys, dims, n_positions, n_dims, k_stride_t, k_stride_d)
        v = load_rows(v_base, keys, dims, n_positions, n_dims, v_stride_t, v_stride_d)
        weights = probabilities(q, k, normalizer, queries, keys, n_positions, scale)
        grad_weights = tl.dot(grad, tl.trans(v), input_precision="ieee")
        grad_scores = weights * (grad_weights - delta[:, None]) * scale
        grad_q = tl.dot(grad_scores.to(k.dtype), k, grad_q, input_precision="ieee")
    store_rows(grad_q_ptr + head * n_positions * n_dims, queries, dims, n_positions, n_dims, grad_q)


@triton.jit
def attention_key_gradient_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    normalizer_ptr,
    delta_ptr,
    grad_k_ptr,
    grad_v_ptr,
    n_heads,
    n_positions,
    n_dims,
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
    grad_stride_b,
    grad_stride_h,
    grad_stride_t,
    grad_stride_d,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Each program computes the gradients of a block of keys and values of one head."""
    head = tl.program_id(1)
    batch, inner = head // n_heads, head % n_heads
    keys = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dims = tl.arange(0, BLOCK_D)
    q_base = q_ptr + batch * q_stride_b + inner * q_stride_h
    k_base = k_ptr + batch * k_stride_b + inner * k_stride_h
    v_base = v_ptr + batch * v_stride_b + inner * v_stride_h
    grad_base = grad_ptr + batch * grad_stride_b + inner * grad_stride_h
    k = load_rows(k_base, keys, dims, n_positions, n_dims, k_stride_t, k_stride_d)
    v = load_rows(v_base, keys, dims, n_positions, n_dims, v_stride_t, v_stride_d)
    grad_k = tl.zeros((BLOCK_N, BLOCK_D), dtype=tl.float32)
    grad_v = tl.zeros((BLOCK_N, BLOCK_D), dtype=tl.float32)
    # Queries before the first key of this block see none of its keys.
    for first in range((tl.program_id(0) * BLOCK_N // BLOCK_M) * BLOCK_M, n_positions, BLOCK_M):
        queries = first + tl.arange(0, BLOCK_M)
        inside = queries < n_positions
        q = load_rows(q_base, queries, dims, n_positions, n_dims, q_stride_t, q_stride_d)
        grad = load_rows(
            grad_base, queries, dims, n_positions, n_dims, grad_stride_t, grad_stride_d
        )
        normalizer = tl.load(normalizer_ptr + head * n_positions + queries, mask=inside, other=0.0)
        delta = tl.load(delta_ptr + head * n_positions + queries, mask=inside, other=0.0)
        weights = probabilities(q, k, normalizer, queries, keys, n_positions, scale)
        grad_v = tl.dot(tl.trans(weights.to(grad.dtype)), grad, grad_v, input_precision="ieee")
        grad_weights = tl.dot(grad, tl.trans(v), input_precision="ieee")
        grad_scores = weights * (grad_weights - delta[:, None]) * scale
        grad_k = tl.dot(tl.trans(grad_scores.to(q.dtype)), q, grad_k, input_precision="ieee")
    base = head * n_positions * n_dims
    store_rows(grad_k_ptr + base, keys, dims, n_positions, n_dims, grad_k)
    store_rows(grad_v_ptr + base, keys, dims, n_positions, n_dims, grad_v)


class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        n_batches, n_heads, n_positions, n_dims = q.shape
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
        normalizer = torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)
        ctx.save_for_backward(q, k, v, out, normalizer)
        if out.numel() == 0:
            return out
        attention_forward_kernel[(triton.cdiv(n_positions, 32), n_batches * n_heads)](
            q,
            k,
            v,
            out,
            normalizer,
            n_heads,
            n_positions,
            n_dims,
            1.0 / math.sqrt(n_dims),
            *q.stride(),
            *k.stride(),
            *v.stride(),
            BLOCK_M=32,
            BLOCK_N=32,
            BLOCK_D=max(16, triton.next_power_of_2(n_dims)),
        )
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, normalizer = ctx.saved_tensors
        n_batches, n_heads, n_positions, n_dims = q.shape
        grad_q, grad_k, grad_v = (
            torch.empty(q.shape, dtype=q.dtype, device=q.device) for _ in range(3)
        )
        if out.numel() == 0:
            return grad_q, grad_k, grad_v
        delta = torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)
        grid = (triton.cdiv(n_positions, 32), n_batches * n_heads)
        sizes = (n_heads, n_positions, n_dims, 1.0 / math.sqrt(n_dims))
        strides = (*q.stride(), *k.stride(), *v.stride(), *grad.stride())
        blocks = {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_D": max(16, triton.next_power_of_2(n_dims))}
        attention_query_gradient_kernel[grid](
            q, k, v, grad, normalizer, delta, grad_q, *sizes, *strides, **blocks
        )
        attention_key_gradient_kernel[grid](
            q, k, v, grad, normalizer, delta, grad_k, grad_v, *sizes, *strides, **blocks
        )
        return grad_q, grad_k, grad_v


def flash_attention(q, k, v):
    """All three are batch, head, position, feature, of one shape and any memory layout."""
    return FlashAttention.apply(q, k, v)
