"""Transpose a matrix in tiles of a measured size, taken in turn by a fixed number of programs."""

import torch
import triton
import triton.language as tl


CONFIGS = [
    triton.Config({"TILE_M": 64, "TILE_N": 64}, num_warps=4),
    triton.Config({"TILE_M": 32, "TILE_N": 128}, num_warps=8),
    triton.Config({"TILE_M": 128, "TILE_N": 32}, num_warps=8),
]


@triton.autotune(configs=CONFIGS, key=["n_rows", "n_cols"])
@triton.jit
def transpose_persistent_kernel(
    x_ptr,
    out_ptr,
    n_rows,
    n_cols,
    x_stride_m,
    x_stride_n,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
):
    """Consecutive tiles of a program lie below each other, so their writes continue one another."""
    down = tl.cdiv(n_rows, TILE_M)
    n_tiles = down * tl.cdiv(n_cols, TILE_N)
    for tile in range(tl.program_id(0), n_tiles, tl.num_programs(0)):
        rows = (tile % down) * TILE_M + tl.arange(0, TILE_M)
        cols = (tile // down) * TILE_N + tl.arange(0, TILE_N)
        inside = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
        x = tl.load(x_ptr + rows[:, None] * x_stride_m + cols[None, :] * x_stride_n, mask=inside)
        # Storing at transposed addresses moves the same elements as `tl.trans` before the store.
        tl.store(out_ptr + cols[None, :] * n_rows + rows[:, None], x, mask=inside)


def transpose(x):
    """The transpose of a matrix of any strides, as a new contiguous matrix."""
    n_rows, n_cols = x.shape
    out = torch.empty((n_cols, n_rows), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out

    def grid(tile):
        tiles = triton.cdiv(n_rows, tile["TILE_M"]) * triton.cdiv(n_cols, tile["TILE_N"])
        # Enough programs for four on each multiprocessor of a large GPU.
        return (min(tiles, 528),)

    transpose_persistent_kernel[grid](x, out, n_rows, n_cols, *x.stride())
    return out
