import torch
import triton
import triton.language as tl


@triton.jit
def _histogram(x, counts, n, bins, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=-1)
    b = tl.arange(0, BINS)
    local = tl.sum((v[:, None] == b[None, :]).to(tl.int64), axis=0)
    old = tl.load(counts + b, mask=b < bins, other=0)
    tl.store(counts + b, old + local, mask=b < bins)


def histogram(x, bins):
    counts = torch.zeros(bins, dtype=torch.int64, device=x.device)
    n = x.numel()
    _histogram[(triton.cdiv(n, 128),)](
        x, counts, n, bins, BLOCK=128, BINS=triton.next_power_of_2(bins)
    )
    return counts
