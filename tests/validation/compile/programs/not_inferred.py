@triton.jit
def kernel(x, N: tl.constexpr):
    tl.static_assert(N == 12345 * 6789)
    tl.store(x, 0)
