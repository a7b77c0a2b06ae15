BLOCK = 256


@triton.jit
def sum_kernel(x_ptr, weight_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x * weight, axis=0))


def weighted_sum(x, weight):
    out = torch.zeros((), dtype=x.dtype, device=x.device)
    n = x.numel()
    sum_kernel[(triton.cdiv(n, BLOCK),)](x, weight.contiguous(), out, n, x.stride(0), BLOCK=BLOCK)
    return out
