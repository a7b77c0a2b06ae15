CONFIGS = [
    triton.Config({"ROWS": 32, "COLUMNS": 32, "INNER": 32, "GROUP": 4}, num_warps=4),
    triton.Config({"ROWS": 64, "COLUMNS": 32, "INNER": 32, "GROUP": 4}, num_warps=4),
    triton.Config({"ROWS": 32, "COLUMNS": 64, "INNER": 16, "GROUP": 2}, num_warps=2),
]


@triton.autotune(CONFIGS if torch.cuda.is_available() else CONFIGS[:1], key=["m", "n", "k"])
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, out_ptr, m, n, k,
    a_row, a_column, b_row, b_column,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, INNER: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    # Neighbouring programs share rows of a and columns of b in the cache.
    program, row_blocks = tl.program_id(0), tl.cdiv(m, ROWS)
    in_group = GROUP * tl.cdiv(n, COLUMNS)
    first = program // in_group * GROUP
    height = min(row_blocks - first, GROUP)
    row_block = first + program % in_group % height
    column_block = program % in_group // height

    rows = row_block * ROWS + tl.arange(0, ROWS)
    columns = column_block * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, k, INNER):
        inner = start + tl.arange(0, INNER)
        a = tl.load(
            a_ptr + rows[:, None] * a_row + inner[None, :] * a_column,
            mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0,
        )  # fmt: skip
        b = tl.load(
            b_ptr + inner[:, None] * b_row + columns[None, :] * b_column,
            mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0,
        )  # fmt: skip
        total = tl.dot(a, b, total, input_precision="ieee")
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    out = total.to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], out, mask=mask)


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=a.dtype, device=a.device)

    def grid(meta):
        return (triton.cdiv(m, meta["ROWS"]) * triton.cdiv(n, meta["COLUMNS"]),)

    strides = a.stride(0), a.stride(1), b.stride(0), b.stride(1)
    matmul_kernel[grid](a, b, out, m, n, k, *strides)
    return out
