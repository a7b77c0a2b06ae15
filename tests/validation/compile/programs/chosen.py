@triton.jit
def kernel(a, b, out, n, BLOCK: tl.constexpr):
    where = tl.arange(0, BLOCK)
    source = tl.where(tl.program_id(0) < n, a, b)
    tl.store(out + where, tl.load(source + where))
