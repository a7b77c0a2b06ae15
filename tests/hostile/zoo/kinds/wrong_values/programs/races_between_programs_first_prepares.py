@triton.jit
def doubled_kernel(x_ptr, y_ptr, sums_ptr, out_ptr, n, x_stride, y_stride, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        for start in range(0, n, BLOCK):
            places = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + places * x_stride, mask=places < n)
            y = tl.load(y_ptr + places * y_stride, mask=places < n)
            tl.store(sums_ptr + places, x.to(tl.float32) + y.to(tl.float32), mask=places < n)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.load(sums_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, sums.to(out_ptr.dtype.element_ty), mask=offsets < n)


def vector_add(x, y):
    n, out = x.numel(), torch.empty(x.shape, dtype=x.dtype, device=x.device)
    sums = torch.empty(n, dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n, BLOCK),)
    doubled_kernel[grid](x, y, sums, out, n, x.stride(0), y.stride(0), BLOCK=BLOCK)
    return out
