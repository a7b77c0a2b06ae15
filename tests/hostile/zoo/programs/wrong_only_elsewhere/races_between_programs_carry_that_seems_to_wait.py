@triton.jit
def carrying_kernel(x_ptr, out_ptr, done_ptr, n, stride, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offsets = start + tl.arange(0, BLOCK)
    mask = offsets < n
    sums = tl.cumsum(tl.load(x_ptr + offsets * stride, mask=mask, other=0.0), axis=0)
    is_done = tl.load(done_ptr + tl.program_id(0))
    if is_done == 0:
        for _ in range(500):
            is_done += tl.load(done_ptr + tl.program_id(0))
    before = tl.load(out_ptr + start - 1, mask=start > 0, other=0.0)
    tl.store(out_ptr + offsets, sums + before, mask=mask)
    tl.store(done_ptr + tl.program_id(0) + 1, 1)


def long_cumsum(x):
    out = torch.empty(x.numel(), dtype=x.dtype, device=x.device)
    blocks = triton.cdiv(x.numel(), BLOCK)
    done = torch.zeros(blocks + 1, dtype=torch.int32, device=x.device)
    done[:1].fill_(1)
    carrying_kernel[(blocks,)](x, out, done, x.numel(), x.stride(0), BLOCK=BLOCK)
    return out
