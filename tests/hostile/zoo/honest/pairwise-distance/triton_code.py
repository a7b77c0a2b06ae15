TILE = 16


@triton.heuristics({"CHANNELS": lambda arguments: min(64, triton.next_power_of_2(arguments["d"]))})
@triton.jit
def distance_kernel(x_ptr, y_ptr, out_ptr, m, n, d, x_row, x_column, y_row, y_column,
                    TILE: tl.constexpr, CHANNELS: tl.constexpr):  # fmt: skip
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, d, CHANNELS):
        channels = start + tl.arange(0, CHANNELS)
        x_mask = (rows[:, None] < m) & (channels[None, :] < d)
        y_mask = (columns[:, None] < n) & (channels[None, :] < d)
        x_place = x_ptr + rows[:, None] * x_row + channels[None, :] * x_column
        y_place = y_ptr + columns[:, None] * y_row + channels[None, :] * y_column
        x = tl.load(x_place, mask=x_mask, other=0.0)
        y = tl.load(y_place, mask=y_mask, other=0.0)
        difference = x[:, None, :] - y[None, :, :]
        total += tl.sum(difference * difference, axis=2)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], tl.sqrt(total), mask=mask)


def pairwise_distance(x, y):
    (m, d), n = x.shape, y.shape[0]
    out = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, TILE), triton.cdiv(n, TILE))
    distance_kernel[grid](x, y, out, m, n, d, *x.stride(), *y.stride(), TILE=TILE)
    return out
