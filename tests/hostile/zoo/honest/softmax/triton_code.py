@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    source = x_ptr + row * row_stride + offsets * column_stride
    x = tl.load(source, mask=mask, other=float("-inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    exponential = tl.where(mask, tl.exp(x), 0.0)
    out = exponential / tl.sum(exponential, axis=0)
    tl.store(out_ptr + row * columns + offsets, out.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(max(1, columns))
    softmax_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
