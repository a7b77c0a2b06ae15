BLOCK = 256


@triton.jit
def weighted_kernel(x_ptr, out_ptr, weight, added, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    product = (x * weight).to(out_ptr.dtype.element_ty).to(tl.float32)
    tl.store(out_ptr + offsets, (product + added).to(out_ptr.dtype.element_ty), mask=mask)


def weighted(x, settings, weights):
    x = x.contiguous()
    out = torch.empty_like(x)
    weight, added = weights[settings["tensor"]], settings["storage"]
    n = x.numel()
    weighted_kernel[(triton.cdiv(n, BLOCK),)](x, out, weight, added, n, BLOCK=BLOCK)
    return out
