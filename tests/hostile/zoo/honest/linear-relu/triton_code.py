TILE = tl.constexpr(32)


@triton.jit
def relu(x):
    # Not tl.maximum: NaN must stay NaN.
    return tl.where(x < 0.0, 0.0, x)


@triton.jit
def tile(start, rows, columns, row_limit, column_limit, row_stride, column_stride):
    """A tile of a matrix, zero beyond its edges."""
    mask = (rows[:, None] < row_limit) & (columns[None, :] < column_limit)
    return tl.load(
        start + rows[:, None] * row_stride + columns[None, :] * column_stride, mask=mask, other=0.0
    )


@triton.jit
def linear_relu_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, m, n, k,
    x_batch, x_row, x_column, weight_row, weight_column, HAS_BIAS: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, k, TILE):
        inner = start + tl.arange(0, TILE)
        x = tile(x_ptr + batch * x_batch, rows, inner, m, k, x_row, x_column)
        weight = tile(weight_ptr, inner, columns, k, n, weight_row, weight_column)
        total = tl.dot(x, weight, total, input_precision="ieee")
    if HAS_BIAS:
        total += tl.load(bias_ptr + columns, mask=columns < n, other=0.0)[None, :]
    target = out_ptr + batch * m * n + rows[:, None] * n + columns[None, :]
    tl.store(target, relu(total), mask=(rows[:, None] < m) & (columns[None, :] < n))


def linear_relu(x, weight, bias):
    batch, m, k = x.shape
    n = weight.shape[1]
    out = torch.empty((batch, m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, TILE.value), triton.cdiv(n, TILE.value), batch)
    linear_relu_kernel[grid](
        x, weight, bias, out, m, n, k, *x.stride(), *weight.stride(), HAS_BIAS=bias is not None
    )
    return out
