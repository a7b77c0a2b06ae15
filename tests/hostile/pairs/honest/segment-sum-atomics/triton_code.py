@triton.jit
def _scatter(src, index, out, n, D, BN: tl.constexpr, BD: tl.constexpr):
    r = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    rm = r < n
    seg = tl.load(index + r, mask=rm, other=0)
    mask = rm[:, None] & (d < D)[None, :]
    v = tl.load(src + r[:, None] * D + d[None, :], mask=mask, other=0.0)
    tl.atomic_add(out + seg[:, None] * D + d[None, :], v, mask=mask)


def segment_sum(src, index, num_segments):
    src = src.contiguous()
    n, D = src.shape
    out = torch.zeros(num_segments, D, dtype=src.dtype, device=src.device)
    _scatter[(triton.cdiv(n, 16), triton.cdiv(D, 32))](src, index, out, n, D, BN=16, BD=32)
    return out
