"""Add up the elements along one axis of a matrix, in tiles whose shape fits the memory layout."""

import torch
import triton
import triton.language as tl

# Wide tiles for lines that lie in memory one after the other, tall ones for interleaved lines.
CONFIGS = [
    triton.Config({"LINES": lines, "WIDTH": width}, num_warps=warps)
    for lines, width, warps in ((4, 256, 4), (2, 1024, 8), (128, 16, 4), (64, 64, 8))
]


@triton.autotune(configs=CONFIGS, key=["n_lines", "length", "lines_adjacent"])
@triton.jit
def sum_tiles_kernel(
    x_ptr,
    out_ptr,
    n_lines,
    length,
    line_stride,
    step,
    lines_adjacent,
    LINES: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """Each program keeps one sum for every place of its tile, and joins them once at the end."""
    lines = tl.program_id(0) * LINES + tl.arange(0, LINES)
    places = tl.arange(0, WIDTH)
    starts = x_ptr + lines[:, None] * line_stride + places[None, :] * step
    sums = tl.zeros((LINES, WIDTH), dtype=tl.float32)
    for first in range(0, length, WIDTH):
        inside = (lines[:, None] < n_lines) & (first + places[None, :] < length)
        sums += tl.load(starts + first * step, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + lines, tl.sum(sums, axis=1), mask=lines < n_lines)


def sum_along_axis(x, axis):
    """Add up the elements along one axis of a matrix of any strides.

    The first call at a size measures which tile is fastest.
    """
    n_lines, length = x.shape[1 - axis], x.shape[axis]
    out = torch.empty((n_lines,), dtype=x.dtype, device=x.device)
    if n_lines == 0:
        return out
    line_stride, step = x.stride(1 - axis), x.stride(axis)
    sum_tiles_kernel[lambda tile: (triton.cdiv(n_lines, tile["LINES"]),)](
        x, out, n_lines, length, line_stride, step, int(line_stride < step)
    )
    return out
