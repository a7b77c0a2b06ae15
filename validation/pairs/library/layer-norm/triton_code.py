"""Layer normalisation along the rows of a matrix, with its gradients."""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_forward_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    mean_ptr,
    inverse_ptr,
    n_cols,
    x_stride_m,
    x_stride_n,
    weight_stride,
    bias_stride,
    eps,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program normalises one row and keeps what the backward pass needs."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride_m + cols * x_stride_n, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(mask, x - mean, 0.0)
    inverse = tl.rsqrt(tl.sum(centred * centred, axis=0) / n_cols + eps)
    weight = tl.load(weight_ptr + cols * weight_stride, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols * bias_stride, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * n_cols + cols, centred * inverse * weight + bias, mask=mask)
    tl.store(mean_ptr + row, mean)
    tl.store(inverse_ptr + row, inverse)


@triton.jit
def layer_norm_input_gradient_kernel(
    grad_ptr,
    x_ptr,
    weight_ptr,
    mean_ptr,
    inverse_ptr,
    grad_x_ptr,
    n_cols,
    grad_stride_m,
    grad_stride_n,
    x_stride_m,
    x_stride_n,
    weight_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program computes the gradient of one row of the input."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    grad = tl.load(grad_ptr + row * grad_stride_m + cols * grad_stride_n, mask=mask, other=0.0)
    x = tl.load(x_ptr + row * x_stride_m + cols * x_stride_n, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + cols * weight_stride, mask=mask, other=0.0)
    mean = tl.load(mean_ptr + row)
    inverse = tl.load(inverse_ptr + row)
    normal = tl.where(mask, (x.to(tl.float32) - mean) * inverse, 0.0)
    scaled = grad.to(tl.float32) * weight.to(tl.float32)
    # The row's own mean and spread moved with x: take their share away.
    across = tl.where(mask, scaled - normal * (tl.sum(scaled * normal, axis=0) / n_cols), 0.0)
    grad_x = (across - tl.sum(across, axis=0) / n_cols) * inverse
    tl.store(grad_x_ptr + row * n_cols + cols, grad_x, mask=mask)


@triton.jit
def layer_norm_parameter_gradient_kernel(
    grad_ptr,
    x_ptr,
    mean_ptr,
    inverse_ptr,
    grad_weight_ptr,
    grad_bias_ptr,
    n_rows,
    n_cols,
    grad_stride_m,
    grad_stride_n,
    x_stride_m,
    x_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Each program adds up a block of columns over all rows."""
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    grad_weight = tl.zeros((BLOCK_N,), dtype=tl.float32)
    grad_bias = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for first in range(0, n_rows, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
        grad = tl.load(
            grad_ptr + rows[:, None] * grad_stride_m + cols[None, :] * grad_stride_n,
            mask=mask,
            other=0.0,
        ).to(tl.float32)
        x = tl.load(
            x_ptr + rows[:, None] * x_stride_m + cols[None, :] * x_stride_n, mask=mask, other=0.0
        ).to(tl.float32)
        mean = tl.load(mean_ptr + rows, mask=rows < n_rows, other=0.0)
        inverse = tl.load(inverse_ptr + rows, mask=rows < n_rows, other=0.0)
        normal = (x - mean[:, None]) * inverse[:, None]
        grad_weight += tl.sum(grad * normal, axis=0)
        grad_bias += tl.sum(grad, axis=0)
    tl.store(grad_weight_ptr + cols, grad_weight, mask=cols < n_cols)
    tl.store(grad_bias_ptr + cols, grad_bias, mask=cols < n_cols)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        n_rows, n_cols = x.shape
        out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
        mean = torch.empty((n_rows,), dtype=torch.float32, device=x.device)
        inverse = torch.empty((n_rows,), dtype=torch.float32, device=x.device)
        if out.numel():
            layer_norm_forward_kernel[(n_rows,)](
                x,
                weight,
                bias,
                out,
                mean,
                inverse,
                n_cols,
                *x.stride(),
                weight.stride(0),
                bias.stride(0),
                eps,
                BLOCK_SIZE=max(16, triton.next_power_of_2(n_cols)),
            )
        ctx.save_for_backward(x, weight, mean, inverse)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, weight, mean, inverse = ctx.saved_tensors
        n_rows, n_cols = x.shape
        grad_x = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
        grad_weight = torch.empty((n_cols,), dtype=weight.dtype, device=x.device)
        grad_bias = torch.empty((n_cols,), dtype=weight.dtype, device=x.device)
        if grad_x.numel():
            layer_norm_input_gradient_kernel[(n_rows,)](
                grad,
                x,
                weight,
                mean,
                inverse,
                grad_x,
                n_cols,
                *grad.stride(),
                *x.stride(),
                weight.stride(0),
                BLOCK_SIZE=max(16, triton.next_power_of_2(n_cols)),
            )
        if n_cols:
            layer_norm_parameter_gradient_kernel[(triton.cdiv(n_cols, 64),)](
                grad,
                x,
                mean,
                inverse,
                grad_weight,
                grad_bias,
                n_rows,
                n_cols,
                *grad.stride(),
                *x.stride(),
                BLOCK_M=16,
                BLOCK_N=64,
            )
        return grad_x, grad_weight, grad_bias, None


def layer_norm(x, weight, bias, eps=1e-5):
    """Layer normalisation along the rows of a matrix; weight and bias have one value a column."""
    return LayerNorm.apply(x, weight, bias, eps)
