import math

import torch
import triton
import triton.language as tl

QUERIES, KEYS = 32, 32


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, heads, queries, keys, scale,
    q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
    SIZE: tl.constexpr, PADDED: tl.constexpr, CAUSAL: tl.constexpr,
    QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    rows = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    channels = tl.arange(0, PADDED)
    inside = (rows[:, None] < queries) & (channels[None, :] < SIZE)
    q_start = q_ptr + batch * q_batch + head * q_head
    q = tl.load(q_start + rows[:, None] * q_row + channels[None, :], mask=inside, other=0.0)

    largest = tl.full((QUERIES,), float("-inf"), tl.float32)
    total = tl.zeros((QUERIES,), dtype=tl.float32)
    gathered = tl.zeros((QUERIES, PADDED), dtype=tl.float32)
    for start in range(0, keys, KEYS):
        columns = start + tl.arange(0, KEYS)
        present = (columns[:, None] < keys) & (channels[None, :] < SIZE)
        k_start = k_ptr + batch * k_batch + head * k_head
        v_start = v_ptr + batch * v_batch + head * v_head
        k = tl.load(k_start + columns[:, None] * k_row + channels[None, :], mask=present, other=0.0)
        v = tl.load(v_start + columns[:, None] * v_row + channels[None, :], mask=present, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        visible = columns[None, :] < keys
        if CAUSAL:
            visible = visible & (columns[None, :] <= rows[:, None])
        scores = tl.where(visible, scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        shrink = tl.exp(largest - larger)
        weights = tl.exp(scores - larger[:, None])
        total = total * shrink + tl.sum(weights, axis=1)
        gathered = gathered * shrink[:, None]
        gathered += tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        largest = larger
    out = (gathered / total[:, None]).to(out_ptr.dtype.element_ty)
    target = out_ptr + (batch * heads + head) * queries * SIZE
    tl.store(target + rows[:, None] * SIZE + channels[None, :], out, mask=inside)


def attention(q, k, v, causal):
    q, k, v = (x if x.stride(-1) == 1 else x.contiguous() for x in (q, k, v))
    batch, heads, queries, size = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    attention_kernel[(triton.cdiv(queries, QUERIES), batch * heads)](
        q, k, v, out, heads, queries, k.shape[2], 1.0 / math.sqrt(size),
        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3],
        SIZE=size, PADDED=max(16, triton.next_power_of_2(size)), CAUSAL=causal,
        QUERIES=QUERIES, KEYS=KEYS,
    )  # fmt: skip
    return out
