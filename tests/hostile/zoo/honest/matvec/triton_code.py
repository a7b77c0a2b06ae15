ROWS, COLUMNS = 16, 64


@triton.jit
def matvec_kernel(matrix_ptr, vector_ptr, out_ptr, m, n, row_stride, column_stride,
                  ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, n, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        source = matrix_ptr + rows[:, None] * row_stride + columns[None, :] * column_stride
        mask = (rows[:, None] < m) & (columns[None, :] < n)
        matrix = tl.load(source, mask=mask, other=0.0).to(tl.float32)
        vector = tl.load(vector_ptr + columns, mask=columns < n, other=0.0).to(tl.float32)
        total += tl.sum(matrix * vector[None, :], axis=1)
    tl.store(out_ptr + rows, total.to(out_ptr.dtype.element_ty), mask=rows < m)


def matvec(matrix, vector):
    m, n = matrix.shape
    out = torch.empty(m, dtype=matrix.dtype, device=matrix.device)
    strides = matrix.stride(0), matrix.stride(1)
    matvec_kernel[(triton.cdiv(m, ROWS),)](
        matrix, vector.contiguous(), out, m, n, *strides, ROWS=ROWS, COLUMNS=COLUMNS
    )
    return out
