@triton.jit
def _flat(rows, cols, out, row_length, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r = tl.load(rows + i, mask=i < n, other=0).to(tl.int32)
    c = tl.load(cols + i, mask=i < n, other=0).to(tl.int32)
    tl.store(out + i, (r * row_length + c).to(tl.int64), mask=i < n)


def flat_index(rows, cols, row_length):
    n = rows.numel()
    out = torch.empty_like(rows)
    _flat[(triton.cdiv(n, 256),)](rows, cols, out, row_length, n, BLOCK=256)
    return out
