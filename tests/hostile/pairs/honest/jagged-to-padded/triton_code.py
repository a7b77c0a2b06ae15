@triton.jit
def _pad(values, offsets, out, longest, D, fill, BT: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)[:, None]
    d = tl.program_id(2) * BD + tl.arange(0, BD)[None, :]
    start = tl.load(offsets + b)
    end = tl.load(offsets + b + 1)
    v = tl.load(values + (start + t) * D + d, mask=(start + t < end) & (d < D), other=0.0)
    v = tl.where(start + t < end, v, fill)
    tl.store(out + (b * longest + t) * D + d, v, mask=(t < longest) & (d < D))


def jagged_to_padded(values, offsets, fill=0.0):
    lengths = offsets[1:] - offsets[:-1]
    longest = lengths.max().item()
    B, D = lengths.numel(), values.shape[1]
    out = torch.empty(B, longest, D, dtype=values.dtype, device=values.device)
    grid = (B, triton.cdiv(longest, 16), triton.cdiv(D, 32))
    _pad[grid](values, offsets, out, longest, D, fill, BT=16, BD=32)
    return out
