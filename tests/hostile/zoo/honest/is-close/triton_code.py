BLOCK = 512


@triton.jit
def close_kernel(x_ptr, y_ptr, out_ptr, distance, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.abs(x - y) < distance, mask=mask)


def is_close(x, y, distance):
    out = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    n = x.numel()
    close_kernel[(triton.cdiv(n, BLOCK),)](
        x.contiguous(), y.contiguous(), out, distance, n, BLOCK=BLOCK
    )
    return out
