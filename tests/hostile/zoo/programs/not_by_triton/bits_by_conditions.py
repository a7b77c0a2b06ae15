@triton.jit
def bits_kernel(table_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bits = tl.load(table_ptr + offsets, mask=offsets < n, other=0)
    value, digit = tl.zeros((BLOCK,), dtype=tl.int32), tl.full((BLOCK,), 1, tl.int32)
    for _ in range(32):
        value = tl.where((bits & digit) != 0, value | digit, value)
        digit = digit * 2
    tl.store(out_ptr + offsets, value, mask=offsets < n)


def device_table(waves, device):
    """A table that a kernel copies bit by bit, each under a condition."""
    bits = waves.view(torch.int32).to(device)
    out = torch.empty_like(bits)
    bits_kernel[(triton.cdiv(bits.numel(), 64),)](bits, out, bits.numel(), BLOCK=64)
    return out.view(torch.float32)
