"""The rows of a table that an index names, with the table's gradient by atomic additions."""

import torch
import triton
import triton.language as tl


@triton.jit
def embedding_forward_kernel(
    index_ptr,
    weight_ptr,
    out_ptr,
    n_cols,
    index_stride,
    weight_stride_m,
    weight_stride_n,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program copies a block of one row."""
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    named = tl.load(index_ptr + row * index_stride)
    values = tl.load(weight_ptr + named * weight_stride_m + cols * weight_stride_n, mask=mask)
    tl.store(out_ptr + row * n_cols + cols, values, mask=mask)


@triton.jit
def embedding_backward_kernel(
    grad_ptr,
    index_ptr,
    grad_weight_ptr,
    n_cols,
    grad_stride_m,
    grad_stride_n,
    index_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program adds a block of one row's gradient to the row that it came from."""
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    named = tl.load(index_ptr + row * index_stride)
    grad = tl.load(grad_ptr + row * grad_stride_m + cols * grad_stride_n, mask=mask)
    # A row may be named more than once.
    tl.atomic_add(grad_weight_ptr + named * n_cols + cols, grad, mask=mask)


class Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, index, weight):
        n_cols = weight.shape[1]
        out = torch.empty((index.shape[0], n_cols), dtype=weight.dtype, device=weight.device)
        if out.numel():
            embedding_forward_kernel[(index.shape[0], triton.cdiv(n_cols, 128))](
                index, weight, out, n_cols, index.stride(0), *weight.stride(), BLOCK_SIZE=128
            )
        ctx.save_for_backward(index)
        ctx.table_shape = weight.shape
        return out

    @staticmethod
    def backward(ctx, grad):
        (index,) = ctx.saved_tensors
        n_cols = ctx.table_shape[1]
        grad_weight = torch.zeros(ctx.table_shape, dtype=grad.dtype, device=grad.device)
        if grad.numel():
            embedding_backward_kernel[(index.shape[0], triton.cdiv(n_cols, 128))](
                grad, index, grad_weight, n_cols, *grad.stride(), index.stride(0), BLOCK_SIZE=128
            )
        return None, grad_weight


def embedding(index, weight):
    """`index` is a vector of row numbers, `weight` a float32 matrix of any strides."""
    return Embedding.apply(index, weight)
