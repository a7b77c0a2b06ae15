@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    carry = tl.zeros((), dtype=out_ptr.dtype.element_ty)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        x = tl.load(x_ptr + row * row_stride + offsets * column_stride, mask=mask, other=0)
        tl.store(out_ptr + row * columns + offsets, carry + tl.cumsum(x, axis=0), mask=mask)
        carry += tl.sum(x, axis=0)


def row_cumsum(x):
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    cumsum_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=64)
    return out
