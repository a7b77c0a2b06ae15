@triton.jit
def fetch(source, where):
    return tl.load(shifted(source, where))


@triton.jit
def shifted(base, where):
    moved = base + where
    return moved


@triton.jit
def kernel(a, b, BLOCK: tl.constexpr):
    where = tl.arange(0, BLOCK)
    target = shifted(b, where)
    tl.store(target, fetch(a, where))
