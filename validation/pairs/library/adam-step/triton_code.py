"""One step of AdamW in a single pass over the parameter, its gradient and both moments."""

import torch
import triton
import triton.language as tl


@triton.jit
def adam_step_kernel(
    parameter_ptr,
    grad_ptr,
    mean_ptr,
    square_ptr,
    new_parameter_ptr,
    new_mean_ptr,
    new_square_ptr,
    n_elements,
    parameter_stride,
    grad_stride,
    mean_stride,
    square_stride,
    lr,
    shrink,
    mean_correction,
    square_correction,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program updates one block."""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    parameter = tl.load(parameter_ptr + offsets * parameter_stride, mask=mask, other=0.0)
    grad = tl.load(grad_ptr + offsets * grad_stride, mask=mask, other=0.0)
    mean = tl.load(mean_ptr + offsets * mean_stride, mask=mask, other=0.0)
    square = tl.load(square_ptr + offsets * square_stride, mask=mask, other=0.0)
    mean = 0.9 * mean + 0.1 * grad
    square = 0.999 * square + 0.001 * grad * grad
    denominator = tl.sqrt(square / square_correction) + 1e-8
    parameter = parameter * shrink - lr * (mean / mean_correction) / denominator
    tl.store(new_parameter_ptr + offsets, parameter, mask=mask)
    tl.store(new_mean_ptr + offsets, mean, mask=mask)
    tl.store(new_square_ptr + offsets, square, mask=mask)


def adam_step(parameter, grad, mean, square, step, lr=1e-3, decay=0.01):
    """All four are float32 vectors of one length; `step` counts from 1."""
    new_parameter, new_mean, new_square = (
        torch.empty(parameter.shape, dtype=parameter.dtype, device=parameter.device)
        for _ in range(3)
    )
    n_elements = parameter.numel()
    if n_elements == 0:
        return new_parameter, new_mean, new_square
    adam_step_kernel[(triton.cdiv(n_elements, 512),)](
        parameter,
        grad,
        mean,
        square,
        new_parameter,
        new_mean,
        new_square,
        n_elements,
        parameter.stride(0),
        grad.stride(0),
        mean.stride(0),
        square.stride(0),
        lr,
        1.0 - lr * decay,
        1.0 - 0.9**step,
        1.0 - 0.999**step,
        BLOCK_SIZE=512,
    )
    return new_parameter, new_mean, new_square
