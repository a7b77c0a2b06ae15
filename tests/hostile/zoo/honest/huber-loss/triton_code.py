BLOCK = 256


@triton.jit
def block_kernel(x_ptr, y_ptr, sums_ptr, n, x_stride, y_stride, delta, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * x_stride, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets * y_stride, mask=mask, other=0.0)
    error = tl.abs(x - y)
    loss = tl.where(error < delta, 0.5 * error * error, delta * (error - 0.5 * delta))
    tl.store(sums_ptr + tl.program_id(0), tl.sum(loss, axis=0))


@triton.jit
def mean_kernel(sums_ptr, out_ptr, blocks, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, blocks, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(sums_ptr + offsets, mask=offsets < blocks, other=0.0)
    tl.store(out_ptr, tl.sum(total, axis=0) / n)


def huber_loss(x, y, delta):
    n = x.numel()
    blocks = triton.cdiv(n, BLOCK)
    sums = torch.empty(blocks, dtype=torch.float32, device=x.device)
    out = torch.empty((), dtype=x.dtype, device=x.device)
    block_kernel[(blocks,)](x, y, sums, n, x.stride(0), y.stride(0), delta, BLOCK=BLOCK)
    mean_kernel[(1,)](sums, out, blocks, n, BLOCK=64)
    return out
