@triton.jit
def softmax_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=float("-inf"))
    exponential = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + offsets, exponential / tl.sum(exponential, axis=0), mask=mask)


def ragged_softmax(x, lengths):
    sizes = lengths.tolist()
    out = torch.empty_like(x)
    for part, target in zip(x.split(sizes), out.split(sizes), strict=True):
        block = triton.next_power_of_2(part.numel())
        softmax_kernel[(1,)](part, target, part.numel(), BLOCK=block)
    return out
