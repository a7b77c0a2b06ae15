BLOCK = 128


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def scan_kernel(x_ptr, out_ptr, sums_ptr, n, stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, tl.associative_scan(x, 0, add), mask=mask)
    tl.store(sums_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def shift_kernel(out_ptr, ends_ptr, n, BLOCK: tl.constexpr):
    """Adds to every block but the first what came before it."""
    block = tl.program_id(0) + 1
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    before = tl.load(ends_ptr + block - 1)
    tl.store(out_ptr + offsets, tl.load(out_ptr + offsets, mask=mask) + before, mask=mask)


def long_cumsum(x):
    n = x.numel()
    out = torch.empty(n, dtype=x.dtype, device=x.device)
    blocks = triton.cdiv(n, BLOCK)
    sums = torch.empty(blocks, dtype=x.dtype, device=x.device)
    scan_kernel[(blocks,)](x, out, sums, n, x.stride(0), BLOCK=BLOCK)
    if blocks > 1:
        shift_kernel[(blocks - 1,)](out, long_cumsum(sums), n, BLOCK=BLOCK)
    return out
