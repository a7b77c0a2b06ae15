"""One new query a sequence over keys and values that lie scattered in pages of a cache."""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def paged_attention_kernel(
    q_ptr,
    keys_ptr,
    values_ptr,
    pages_ptr,
    lengths_ptr,
    out_ptr,
    n_heads,
    n_dims,
    page_size,
    scale,
    q_stride_b,
    q_stride_h,
    q_stride_d,
    keys_stride_p,
    keys_stride_t,
    keys_stride_h,
    keys_stride_d,
    values_stride_p,
    values_stride_t,
    values_stride_h,
    values_stride_d,
    pages_stride_b,
    pages_stride_p,
    lengths_stride,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Each program computes one head of one sequence, page after page."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    length = tl.load(lengths_ptr + sequence * lengths_stride)
    slots = tl.arange(0, BLOCK_T)
    dims = tl.arange(0, BLOCK_D)
    q = tl.load(
        q_ptr + sequence * q_stride_b + head * q_stride_h + dims * q_stride_d,
        mask=dims < n_dims,
        other=0.0,
    ).to(tl.float32)
    best = float("-inf")
    total = tl.zeros((BLOCK_D,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_D,), dtype=tl.float32)
    for number in range(tl.cdiv(length, page_size)):
        page = tl.load(pages_ptr + sequence * pages_stride_b + number * pages_stride_p)
        seen = (slots < page_size) & (number * page_size + slots < length)
        mask = seen[:, None] & (dims[None, :] < n_dims)
        k = tl.load(
            keys_ptr
            + page * keys_stride_p
            + head * keys_stride_h
            + slots[:, None] * keys_stride_t
            + dims[None, :] * keys_stride_d,
            mask=mask,
            other=0.0,
        ).to(tl.float32)
        v = tl.load(
            values_ptr
            + page * values_stride_p
            + head * values_stride_h
            + slots[:, None] * values_stride_t
            + dims[None, :] * values_stride_d,
            mask=mask,
            other=0.0,
        ).to(tl.float32)
        scores = tl.where(seen, tl.sum(q[None, :] * k, axis=1), float("-inf"))
        # What was added up so far is rescaled as larger scores appear. They are scaled only after
        # the maximum is taken from them: rounded in one step, a product less itself is not zero.
        higher = tl.maximum(best, tl.max(scores, axis=0))
        fade = tl.exp((best - higher) * scale)
        weights = tl.exp((scores - higher) * scale)
        # The compiler may work out the scores more than once, each rounded in its own way. So
        # every feature adds up the very weights that it multiplies: what is off cancels.
        shares = tl.where(mask, weights[:, None], 0.0)
        total = total * fade + tl.sum(shares, axis=0)
        acc = acc * fade + tl.sum(shares * v, axis=0)
        best = higher
    tl.store(out_ptr + (sequence * n_heads + head) * n_dims + dims, acc / total, mask=dims < n_dims)


def paged_attention(q, keys, values, pages, lengths):
    """`q` is sequence, head, feature; the caches are page, slot, head, feature.

    `pages` holds the pages of each sequence in their order, `lengths` how many slots count: at
    least one.
    """
    n_sequences, n_heads, n_dims = q.shape
    page_size = keys.shape[1]
    out = torch.empty((n_sequences, n_heads, n_dims), dtype=q.dtype, device=q.device)
    if out.numel() == 0:
        return out
    paged_attention_kernel[(n_sequences, n_heads)](
        q,
        keys,
        values,
        pages,
        lengths,
        out,
        n_heads,
        n_dims,
        page_size,
        1.0 / math.sqrt(n_dims),
        *q.stride(),
        *keys.stride(),
        *values.stride(),
        *pages.stride(),
        lengths.stride(0),
        BLOCK_T=max(16, triton.next_power_of_2(page_size)),
        BLOCK_D=max(16, triton.next_power_of_2(n_dims)),
    )
    return out
