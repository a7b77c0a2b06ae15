BLOCK = 256


@triton.jit
def mixed(bits):
    bits = (bits ^ (bits >> 16)) * 0x7FEB352D
    bits = (bits ^ (bits >> 15)) * 0x846CA68B
    return bits ^ (bits >> 16)


@triton.jit
def noise_kernel(x_ptr, out_ptr, start, amplitude, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    bits = mixed((offsets + start).to(tl.uint32))
    noise = (bits >> 8).to(tl.float32) * 1.1920928955078125e-07 - 1.0
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, (x + amplitude * noise).to(out_ptr.dtype.element_ty), mask=mask)


def add_noise(x, seed, amplitude):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    start = seed * 0x9E3779B1 & 0xFFFFFFFF
    noise_kernel[(triton.cdiv(n, BLOCK),)](x, out, start, amplitude, n, BLOCK=BLOCK)
    return out
