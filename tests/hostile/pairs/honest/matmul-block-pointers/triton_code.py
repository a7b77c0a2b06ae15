@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, B: tl.constexpr):
    m, n = tl.program_id(0) * B, tl.program_id(1) * B
    a_block = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (m, 0), (B, B), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, n), (B, B), (1, 0))
    acc = tl.zeros((B, B), dtype=tl.float32)
    for _ in range(0, K, B):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, B))
        b_block = tl.advance(b_block, (B, 0))
    c_block = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (m, n), (B, B), (1, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def matmul(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    product_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), B=32)
    return c
