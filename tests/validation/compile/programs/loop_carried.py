# What a scalar is shows only when the loop's value changes its type.
@triton.jit
def kernel(out, start, n):
    value = start
    for _ in range(n):
        value = value * 0.5
    tl.store(out, value)
