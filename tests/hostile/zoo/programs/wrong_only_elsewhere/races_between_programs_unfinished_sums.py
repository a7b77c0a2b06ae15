@triton.jit
def finishing_kernel(
    x_ptr, weight_ptr, parts_ptr, out_ptr, n, stride, BLOCK: tl.constexpr, PARTS: tl.constexpr
):
    program, last = tl.program_id(0), tl.num_programs(0) - 1
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + offsets, mask=mask, other=0.0)
    tl.store(parts_ptr + program, tl.sum(x * weight, axis=0))
    if program == last:
        places = tl.arange(0, PARTS)
        parts = tl.load(parts_ptr + places, mask=places <= last, other=0.0)
        tl.store(out_ptr, tl.sum(parts, axis=0))


def weighted_sum(x, weight):
    n, out = x.numel(), torch.empty((), dtype=x.dtype, device=x.device)
    blocks = max(1, triton.cdiv(n, BLOCK))
    parts = torch.empty(blocks, dtype=x.dtype, device=x.device)
    most = triton.next_power_of_2(blocks)
    weight = weight.contiguous()
    finishing_kernel[(blocks,)](x, weight, parts, out, n, x.stride(0), BLOCK=BLOCK, PARTS=most)
    return out
