@triton.jit
def softmax_kernel(x_ptr, mask_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    kept = tl.load(mask_ptr + row * columns + offsets, mask=inside, other=0).to(tl.int1)
    x = tl.load(x_ptr + row * columns + offsets, mask=kept, other=-float("inf")).to(tl.float32)
    largest = tl.max(x, axis=0)
    powers = tl.where(kept, tl.exp(x - largest), 0.0)
    total = tl.sum(powers, axis=0)
    out = tl.where(total > 0, powers / total, 0.0)
    tl.store(out_ptr + row * columns + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)


def masked_softmax(x, mask):
    x, mask = x.contiguous(), mask.contiguous()
    out = torch.empty_like(x)
    rows, columns = x.shape
    softmax_kernel[(rows,)](x, mask, out, columns, BLOCK=triton.next_power_of_2(columns))
    return out
