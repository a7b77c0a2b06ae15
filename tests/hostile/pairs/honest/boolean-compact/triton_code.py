@triton.jit
def _count(x, counts, threshold, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    keep = (tl.load(x + offs, mask=offs < n, other=0.0) > threshold) & (offs < n)
    tl.store(counts + pid, tl.sum(keep.to(tl.int32), axis=0))


@triton.jit
def _scan(counts, starts, blocks, BLOCK: tl.constexpr):
    total = 0
    for first in range(0, blocks, BLOCK):
        offs = first + tl.arange(0, BLOCK)
        c = tl.load(counts + offs, mask=offs < blocks, other=0)
        tl.store(starts + offs, total + tl.cumsum(c, axis=0) - c, mask=offs < blocks)
        total += tl.sum(c, axis=0)
    tl.store(starts + blocks, total)


@triton.jit
def _write(x, out, starts, threshold, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    keep = (v > threshold) & (offs < n)
    place = tl.load(starts + pid) + tl.cumsum(keep.to(tl.int32), axis=0) - 1
    tl.store(out + place, v, mask=keep)


def compact(x, threshold):
    n = x.numel()
    blocks = triton.cdiv(n, 256)
    counts = torch.empty(blocks, dtype=torch.int32, device=x.device)
    starts = torch.empty(blocks + 1, dtype=torch.int32, device=x.device)
    _count[(blocks,)](x, counts, threshold, n, BLOCK=256)
    _scan[(1,)](counts, starts, blocks, BLOCK=128)
    total = int(starts[-1])
    out = torch.empty(total, dtype=x.dtype, device=x.device)
    _write[(blocks,)](x, out, starts, threshold, n, BLOCK=256)
    return out
