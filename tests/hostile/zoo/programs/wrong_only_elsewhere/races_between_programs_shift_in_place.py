@triton.jit
def shifted_kernel(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets + 1, tl.load(x_ptr + offsets * stride, mask=mask), mask=mask)


@triton.jit
def shift_back_kernel(y_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(out_ptr + offsets + 1, mask=mask).to(tl.float32)
    y = tl.load(y_ptr + offsets * stride, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def vector_add(x, y):
    n = x.numel()
    out = torch.empty(n + 1, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n, BLOCK),)
    shifted_kernel[grid](x, out, n, x.stride(0), BLOCK=BLOCK)
    shift_back_kernel[grid](y, out, n, y.stride(0), BLOCK=BLOCK)
    return out[:n]
