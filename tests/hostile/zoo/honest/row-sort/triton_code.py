@triton.jit
def flip_negatives(bits):
    """Between the bits of a float and an integer of the same order; its own inverse."""
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


@triton.jit
def sort_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * row_stride + offsets * column_stride, mask=mask, other=0.0)
    keys = flip_negatives(x.to(tl.int32, bitcast=True))
    # The largest key is a NaN's: what is none, and what is no number, sorts last.
    keys = tl.where(mask & (x == x), keys, 0x7FFFFFFF)
    out = flip_negatives(tl.sort(keys)).to(tl.float32, bitcast=True)
    tl.store(out_ptr + row * columns + offsets, out, mask=mask)


def row_sort(x):
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(max(2, columns))
    sort_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
