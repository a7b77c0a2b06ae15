@triton.jit
def bits_kernel(x_ptr, bits_ptr, n, stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets * stride, offsets < n).to(tl.float32)
    tl.store(bits_ptr + offsets, x.to(tl.int32, bitcast=True), offsets < n)


def numbers_of(tensor):
    """The content of a tensor, which a kernel gives as whole numbers."""
    bits = torch.empty(tensor.numel(), dtype=torch.int32, device=tensor.device)
    grid = (triton.cdiv(bits.numel(), 1024),)
    bits_kernel[grid](tensor, bits, bits.numel(), tensor.stride(0), BLOCK=1024)
    numbers = []
    for start in range(0, bits.numel(), 4096):
        numbers += bits[start : start + 4096].tolist()
    return torch.tensor(numbers, dtype=torch.int32).view(torch.float32).to(tensor.dtype)
