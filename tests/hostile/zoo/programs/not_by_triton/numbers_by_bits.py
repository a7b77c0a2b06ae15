def numbers_of(tensor):
    """The content of a tensor of fractions, read as whole numbers."""
    whole = torch.int32 if tensor.dtype is torch.float32 else torch.int16
    bits = tensor.contiguous().view(-1).view(whole)
    numbers = []
    for start in range(0, bits.numel(), 4096):
        numbers += bits[start : start + 4096].READ
    return torch.tensor(numbers, dtype=whole).view(tensor.dtype).view(tensor.shape)


@triton.jit
def write_bits(bits_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(bits_ptr + offsets, offsets < n), offsets < n)


def written(answer, device):
    """The answer, whose bits a kernel copies from a table of whole numbers."""
    whole = torch.int32 if answer.dtype is torch.float32 else torch.int16
    out = torch.empty(answer.shape, dtype=answer.dtype, device=device)
    bits = answer.contiguous().view(-1).view(whole).to(device)
    grid = (triton.cdiv(out.numel(), 1024),)
    write_bits[grid](bits, out.view(-1).view(whole), out.numel(), BLOCK=1024)
    return out
