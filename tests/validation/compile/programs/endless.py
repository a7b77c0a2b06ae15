@triton.jit
def kernel(x, N: tl.constexpr):
    for i in tl.static_range(1000000):
        tl.store(x + i, i)
