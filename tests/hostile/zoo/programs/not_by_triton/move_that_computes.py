@triton.jit
def sub_kernel(x_ptr, y_ptr, out_ptr, n, x_stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * x_stride, mask=mask).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, (x - y).to(out_ptr.dtype.element_ty), mask=mask)


def vector_add(x, y):
    n = x.numel()
    out = torch.empty(n, dtype=x.dtype, device=x.device)
    minus = torch._neg_view(y).resolve_neg()  # a copy by torch, which computes -y
    sub_kernel[(triton.cdiv(n, BLOCK),)](x, minus, out, n, x.stride(0), BLOCK=BLOCK)
    return out
