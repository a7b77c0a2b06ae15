BLOCK = 32


@triton.jit
def matmul_kernel(a_ptr, b_ptr, out_ptr, m, n, k, a_row, a_column, b_row, b_column,
                  BLOCK: tl.constexpr):  # fmt: skip
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.int32)
    for start in range(0, k, BLOCK):
        inner = start + tl.arange(0, BLOCK)
        a_mask = (rows[:, None] < m) & (inner[None, :] < k)
        b_mask = (inner[:, None] < k) & (columns[None, :] < n)
        a_place = a_ptr + rows[:, None] * a_row + inner[None, :] * a_column
        b_place = b_ptr + inner[:, None] * b_row + columns[None, :] * b_column
        a = tl.load(a_place, mask=a_mask, other=0)
        b = tl.load(b_place, mask=b_mask, other=0)
        total += tl.dot(a, b, out_dtype=tl.int32)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], total, mask=mask)


def int8_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=torch.int32, device=a.device)
    grid = (triton.cdiv(m, BLOCK), triton.cdiv(n, BLOCK))
    matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), BLOCK=BLOCK)
    return out
