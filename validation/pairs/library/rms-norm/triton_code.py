"""RMS normalisation along the rows of a matrix, with its gradients."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_forward_kernel(
    x_ptr,
    weight_ptr,
    out_ptr,
    inverse_ptr,
    n_cols,
    x_stride_m,
    x_stride_n,
    weight_stride,
    eps,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program normalises one row."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride_m + cols * x_stride_n, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols * weight_stride, mask=mask, other=0.0).to(tl.float32)
    inverse = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(inverse_ptr + row, inverse)
    tl.store(out_ptr + row * n_cols + cols, x * inverse * weight, mask=mask)


@triton.jit
def rms_norm_backward_kernel(
    grad_ptr,
    x_ptr,
    weight_ptr,
    inverse_ptr,
    grad_x_ptr,
    grad_weight_ptr,
    n_cols,
    grad_stride_m,
    grad_stride_n,
    x_stride_m,
    x_stride_n,
    weight_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program computes one row's gradient and adds its share to that of the weight."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    grad = tl.load(grad_ptr + row * grad_stride_m + cols * grad_stride_n, mask=mask, other=0.0).to(
        tl.float32
    )
    x = tl.load(x_ptr + row * x_stride_m + cols * x_stride_n, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols * weight_stride, mask=mask, other=0.0).to(tl.float32)
    inverse = tl.load(inverse_ptr + row)
    normal = x * inverse
    scaled = grad * weight
    along = tl.sum(scaled * normal, axis=0) / n_cols
    tl.store(grad_x_ptr + row * n_cols + cols, (scaled - normal * along) * inverse, mask=mask)
    # Rows arrive in any order, so the last bits may differ between runs.
    tl.atomic_add(grad_weight_ptr + cols, grad * normal, mask=mask)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        n_rows, n_cols = x.shape
        out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
        inverse = torch.empty((n_rows,), dtype=torch.float32, device=x.device)
        if out.numel():
            rms_norm_forward_kernel[(n_rows,)](
                x,
                weight,
                out,
                inverse,
                n_cols,
                *x.stride(),
                weight.stride(0),
                eps,
                BLOCK_SIZE=max(16, triton.next_power_of_2(n_cols)),
            )
        ctx.save_for_backward(x, weight, inverse)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, weight, inverse = ctx.saved_tensors
        n_rows, n_cols = x.shape
        grad_x = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
        grad_weight = torch.zeros((n_cols,), dtype=torch.float32, device=x.device)
        if grad_x.numel():
            rms_norm_backward_kernel[(n_rows,)](
                grad,
                x,
                weight,
                inverse,
                grad_x,
                grad_weight,
                n_cols,
                *grad.stride(),
                *x.stride(),
                weight.stride(0),
                BLOCK_SIZE=max(16, triton.next_power_of_2(n_cols)),
            )
        return grad_x, grad_weight, None


def rms_norm(x, weight, eps=1e-6):
    """RMS normalisation along the rows of a matrix; the weight has one value a column."""
    return RMSNorm.apply(x, weight, eps)
