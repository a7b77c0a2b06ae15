@triton.jit
def _ce_row(logits, target, loss, V, stride, smoothing, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = logits + row * stride
    m = -float("inf")
    d = 0.0
    s = 0.0
    for i in range(0, V, BLOCK):
        offs = i + tl.arange(0, BLOCK)
        x = tl.load(base + offs, mask=offs < V, other=-float("inf")).to(tl.float32)
        s += tl.sum(tl.where(offs < V, x, 0.0))
        new_m = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - new_m) + tl.sum(tl.exp(x - new_m))
        m = new_m
    lse = m + tl.log(d)
    t = tl.load(target + row)
    xt = tl.load(base + t).to(tl.float32)
    nll = lse - xt
    smooth = lse - s / V
    tl.store(loss + row, (1.0 - smoothing) * nll + smoothing * smooth)


def smoothed_cross_entropy(logits, target, smoothing=0.1):
    n, v = logits.shape
    losses = torch.empty(n, dtype=torch.float32, device=logits.device)
    _ce_row[(n,)](logits, target, losses, v, logits.stride(0), smoothing, BLOCK=256)
    return losses.mean().to(logits.dtype)
