@triton.jit
def _chained(values, out, totals, flags, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    sums = tl.cumsum(tl.load(values + offs, mask=mask, other=0.0), axis=0)
    own = tl.sum(tl.load(values + offs, mask=mask, other=0.0), axis=0)
    before = 0.0
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0) == 0:
            pass
        before = tl.load(totals + pid - 1, volatile=True)
    tl.store(totals + pid, before + own)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1)
    tl.store(out + offs, sums + before, mask=mask)


def running_total(values):
    values = values.contiguous()
    n = values.numel()
    out = torch.empty_like(values)
    blocks = triton.cdiv(n, 128)
    totals = torch.empty(blocks, dtype=values.dtype, device=values.device)
    flags = torch.zeros(blocks, dtype=torch.int32, device=values.device)
    _chained[(blocks,)](values, out, totals, flags, n, BLOCK=128)
    return out
