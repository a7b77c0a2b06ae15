"""Add up the rows of each group by atomic additions."""

import torch
import triton
import triton.language as tl


@triton.jit
def scatter_add_kernel(
    values_ptr,
    group_ptr,
    out_ptr,
    n_rows,
    n_cols,
    values_stride_m,
    values_stride_n,
    group_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Each program adds one tile of rows to wherever each of them belongs."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
    group = tl.load(group_ptr + rows * group_stride, mask=rows < n_rows, other=0)
    values = tl.load(
        values_ptr + rows[:, None] * values_stride_m + cols[None, :] * values_stride_n, mask=mask
    )
    tl.atomic_add(out_ptr + group[:, None] * n_cols + cols[None, :], values, mask=mask)


def scatter_add(values, group, n_groups):
    """`values` is a matrix of float32 or int32, `group` names a group for each of its rows."""
    n_rows, n_cols = values.shape
    out = torch.zeros((n_groups, n_cols), dtype=values.dtype, device=values.device)
    if values.numel() == 0:
        return out
    scatter_add_kernel[(triton.cdiv(n_rows, 16), triton.cdiv(n_cols, 64))](
        values,
        group,
        out,
        n_rows,
        n_cols,
        *values.stride(),
        group.stride(0),
        BLOCK_M=16,
        BLOCK_N=64,
    )
    return out
