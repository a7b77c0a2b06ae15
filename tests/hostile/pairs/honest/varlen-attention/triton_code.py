import math

import torch
import triton
import triton.language as tl


@triton.jit
def _attn(q, k, v, o, cu, H, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    block = tl.program_id(0)
    head = tl.program_id(1)
    seq = tl.program_id(2)
    start = tl.load(cu + seq)
    length = tl.load(cu + seq + 1) - start
    if block * BM >= length:
        return
    offs_m = block * BM + tl.arange(0, BM)
    offs_d = tl.arange(0, D)
    q_off = ((start + offs_m[:, None]) * H + head) * D + offs_d[None, :]
    qv = tl.load(q + q_off, mask=offs_m[:, None] < length, other=0.0)
    m = tl.full([BM], -float("inf"), tl.float32)
    l = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    hi = min((block + 1) * BM, length)
    for n in range(0, hi, BN):
        offs_n = n + tl.arange(0, BN)
        kv_off = ((start + offs_n[:, None]) * H + head) * D + offs_d[None, :]
        kk = tl.load(k + kv_off, mask=offs_n[:, None] < length, other=0.0)
        vv = tl.load(v + kv_off, mask=offs_n[:, None] < length, other=0.0)
        s = tl.dot(qv, tl.trans(kk)).to(tl.float32) * scale
        s = tl.where(
            (offs_n[None, :] <= offs_m[:, None]) & (offs_n[None, :] < length), s, -float("inf")
        )
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p.to(vv.dtype), vv)
        m = m_new
    acc = acc / l[:, None]
    tl.store(o + q_off, acc.to(o.dtype.element_ty), mask=offs_m[:, None] < length)


def varlen_attention(q, k, v, cu_seqlens):
    total, H, D = q.shape
    bounds = cu_seqlens.tolist()
    longest = max(b - a for a, b in zip(bounds, bounds[1:]))
    o = torch.empty_like(q)
    grid = (triton.cdiv(longest, 32), H, len(bounds) - 1)
    _attn[grid](q, k, v, o, cu_seqlens, H, 1.0 / math.sqrt(D), BM=32, BN=32, D=D)
    return o
