@triton.jit
def argmax_kernel(x_ptr, value_ptr, place_ptr, columns, row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    source = x_ptr + row * row_stride
    best = tl.full((), float("-inf"), tl.float32)
    place = tl.full((), 0, tl.int64)
    nans = tl.full((), 0, tl.int32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(source + offsets, mask=offsets < columns, other=float("-inf"))
        nans += tl.sum((x != x).to(tl.int32), axis=0)
        largest = tl.max(x, axis=0)
        first = tl.min(tl.where(x == largest, offsets, columns - 1), axis=0).to(tl.int64)
        place = tl.where(largest > best, first, place)
        best = tl.maximum(best, largest)
    # NaN equals nothing, so with one in the row no place is found.
    tl.store(value_ptr + row, tl.where(nans > 0, float("nan"), best))
    tl.store(place_ptr + row, tl.where(nans > 0, 0, place))


def row_argmax(x):
    rows, columns = x.shape
    if x.stride(1) != 1:
        x = x.contiguous()
    values = torch.empty(rows, dtype=x.dtype, device=x.device)
    places = torch.empty(rows, dtype=torch.int64, device=x.device)
    argmax_kernel[(rows,)](x, values, places, columns, x.stride(0), BLOCK=64)
    return values, places
