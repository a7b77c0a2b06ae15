@triton.jit
def log_softmax_kernel(x_ptr, keep_ptr, out_ptr, columns, row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    # Online: the sum so far is rescaled whenever a larger maximum turns up.
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        keep = tl.load(keep_ptr + row * columns + offsets, mask=mask, other=0).to(tl.int1)
        x = tl.load(x_ptr + row * row_stride + offsets, mask=mask & keep, other=float("-inf"))
        larger = tl.maximum(largest, tl.max(x, axis=0))
        # A block, or all so far, may hold nothing that is kept: -inf - -inf would be NaN.
        shift = tl.where(larger == float("-inf"), 0.0, larger)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        largest = larger
    level = largest + tl.log(total)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        keep = tl.load(keep_ptr + row * columns + offsets, mask=mask, other=0).to(tl.int1)
        x = tl.load(x_ptr + row * row_stride + offsets, mask=mask & keep, other=float("-inf"))
        tl.store(out_ptr + row * columns + offsets, x - level, mask=mask)


def masked_log_softmax(x, keep):
    if x.stride(1) != 1:
        x = x.contiguous()
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    log_softmax_kernel[(rows,)](x, keep.contiguous(), out, columns, x.stride(0), BLOCK=64)
    return out
