def vector_add(x, y):
    n = y.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, y, n, x.stride(0), 1, BLOCK=BLOCK)
    return y
