"""SwiGLU: the activation of the gate times the value, with both gradients."""

import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_forward_kernel(
    gate_ptr,
    value_ptr,
    out_ptr,
    n_elements,
    n_cols,
    gate_stride_m,
    gate_stride_n,
    value_stride_m,
    value_stride_n,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program computes a block of the flattened output."""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    rows = offsets // n_cols
    cols = offsets % n_cols
    gate = tl.load(gate_ptr + rows * gate_stride_m + cols * gate_stride_n, mask=mask, other=0.0)
    value = tl.load(value_ptr + rows * value_stride_m + cols * value_stride_n, mask=mask, other=0.0)
    gate = gate.to(tl.float32)
    sigmoid = tl.sigmoid(gate)
    act = gate * sigmoid
    tl.store(out_ptr + offsets, act * value.to(tl.float32), mask=mask)


@triton.jit
def swiglu_backward_kernel(
    grad_ptr,
    gate_ptr,
    value_ptr,
    grad_gate_ptr,
    grad_value_ptr,
    n_elements,
    n_cols,
    grad_stride_m,
    grad_stride_n,
    gate_stride_m,
    gate_stride_n,
    value_stride_m,
    value_stride_n,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program computes a block of both gradients; the activation is computed again."""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    rows = offsets // n_cols
    cols = offsets % n_cols
    grad = tl.load(grad_ptr + rows * grad_stride_m + cols * grad_stride_n, mask=mask, other=0.0)
    gate = tl.load(gate_ptr + rows * gate_stride_m + cols * gate_stride_n, mask=mask, other=0.0)
    value = tl.load(value_ptr + rows * value_stride_m + cols * value_stride_n, mask=mask, other=0.0)
    grad = grad.to(tl.float32)
    gate = gate.to(tl.float32)
    sigmoid = tl.sigmoid(gate)
    act = gate * sigmoid
    slope = sigmoid * (1.0 + gate * (1.0 - sigmoid))
    tl.store(grad_gate_ptr + offsets, grad * value.to(tl.float32) * slope, mask=mask)
    tl.store(grad_value_ptr + offsets, grad * act, mask=mask)


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, value):
        ctx.save_for_backward(gate, value)
        out = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
        n_elements = out.numel()
        if n_elements:
            swiglu_forward_kernel[(triton.cdiv(n_elements, 1024),)](
                gate,
                value,
                out,
                n_elements,
                gate.shape[1],
                *gate.stride(),
                *value.stride(),
                BLOCK_SIZE=1024,
            )
        return out

    @staticmethod
    def backward(ctx, grad):
        gate, value = ctx.saved_tensors
        grad_gate = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
        grad_value = torch.empty(gate.shape, dtype=value.dtype, device=gate.device)
        n_elements = grad_gate.numel()
        if n_elements:
            swiglu_backward_kernel[(triton.cdiv(n_elements, 1024),)](
                grad,
                gate,
                value,
                grad_gate,
                grad_value,
                n_elements,
                gate.shape[1],
                *grad.stride(),
                *gate.stride(),
                *value.stride(),
                BLOCK_SIZE=1024,
            )
        return grad_gate, grad_value


def swiglu(gate, value):
    """`gate` and `value` are matrices of one shape and any strides."""
    return SwiGLU.apply(gate, value)
