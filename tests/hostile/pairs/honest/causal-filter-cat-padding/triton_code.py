@triton.jit
def _filter(x_ptr, w_ptr, y_ptr, C, T, P, K, BLOCK: tl.constexpr):
    bc = tl.program_id(0)
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = t < T
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(0, K):
        acc += tl.load(x_ptr + bc * P + t + k, mask=mask, other=0.0) * tl.load(
            w_ptr + (bc % C) * K + k
        )
    tl.store(y_ptr + bc * T + t, acc, mask=mask)


def causal_filter(x, taps):
    B, C, T = x.shape
    K = taps.shape[-1]
    padded = torch.cat([x.new_zeros(B, C, K - 1), x], dim=-1)
    y = torch.empty(B, C, T, device=x.device, dtype=x.dtype)
    _filter[(B * C, triton.cdiv(T, 64))](padded, taps, y, C, T, padded.shape[-1], K, BLOCK=64)
    return y
