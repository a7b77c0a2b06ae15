buffers = {}


def vector_add(x, y):
    n = x.numel()
    if (n, x.dtype) not in buffers:
        buffers[n, x.dtype] = torch.empty(n, dtype=x.dtype, device=x.device)
    out = buffers[n, x.dtype]
    grid = (triton.cdiv(n, BLOCK),)
    add_kernel[grid](x, y, out, n, x.stride(0), y.stride(0), BLOCK=BLOCK)
    return out
