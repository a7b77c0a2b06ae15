BLOCK = 256


@triton.jit
def fill_kernel(x_ptr, mask_ptr, out_ptr, value, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    covered = tl.load(mask_ptr + offsets, mask=inside).to(tl.int1)
    filled = tl.full((BLOCK,), value, x.dtype)
    tl.store(out_ptr + offsets, tl.where(covered, filled, x), mask=inside)


def masked_fill(x, mask, value):
    x, mask = x.contiguous(), mask.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    fill_kernel[(triton.cdiv(n, BLOCK),)](x, mask, out, float(value), n, BLOCK=BLOCK)
    return out
