@triton.jit
def look_up_kernel(halves_ptr, all_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    high = tl.load(all_ptr + tl.load(halves_ptr + 2 * offsets, mask=mask, other=0), mask=mask)
    low = tl.load(all_ptr + tl.load(halves_ptr + 2 * offsets + 1, mask=mask, other=0), mask=mask)
    tl.store(out_ptr + offsets, (high << 16) | low, mask=mask)


def device_table(waves, device):
    """A table that a kernel looks up by places in a table of all halves."""
    bits = waves.view(torch.int32)
    halves = torch.stack((bits >> 16 & 65535, bits & 65535), dim=-1).to(device)
    out = torch.empty(bits.shape, dtype=torch.int32, device=device)
    table = torch.arange(65536, dtype=torch.int32, device=device)
    look_up_kernel[(triton.cdiv(out.numel(), 64),)](halves, table, out, out.numel(), BLOCK=64)
    return out.view(torch.float32)
