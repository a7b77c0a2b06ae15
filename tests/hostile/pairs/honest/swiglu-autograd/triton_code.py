@triton.jit
def _forward(a_ptr, b_ptr, c_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + i, mask=i < n, other=0).to(tl.float32)
    tl.store(c_ptr + i, a * tl.sigmoid(a) * b, mask=i < n)


@triton.jit
def _backward(dc_ptr, a_ptr, b_ptr, da_ptr, db_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dc = tl.load(dc_ptr + i, mask=i < n, other=0).to(tl.float32)
    a = tl.load(a_ptr + i, mask=i < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + i, mask=i < n, other=0).to(tl.float32)
    sig = tl.sigmoid(a)
    silu = a * sig
    tl.store(db_ptr + i, dc * silu, mask=i < n)
    tl.store(da_ptr + i, dc * b * (silu * (1 - sig) + sig), mask=i < n)


class SiLUMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty_like(a)
        n = a.numel()
        _forward[(triton.cdiv(n, 256),)](a, b, c, n, BLOCK=256)
        ctx.save_for_backward(a, b)
        return c

    @staticmethod
    def backward(ctx, dc):
        a, b = ctx.saved_tensors
        dc = dc.contiguous()
        da, db = torch.empty_like(a), torch.empty_like(b)
        n = a.numel()
        _backward[(triton.cdiv(n, 256),)](dc, a, b, da, db, n, BLOCK=256)
        return da, db


def swiglu(gate, up):
    return SiLUMul.apply(gate, up)
