BLOCK = 256


@triton.jit
def adamw_kernel(
    weight_ptr, grad_ptr, mean_ptr, square_ptr, new_weight_ptr, new_mean_ptr, new_square_ptr,
    n, keep, lr, mean_correction, square_correction, BLOCK: tl.constexpr,
):  # fmt: skip
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    weight = tl.load(weight_ptr + offsets, mask=mask)
    grad = tl.load(grad_ptr + offsets, mask=mask)
    mean = 0.9 * tl.load(mean_ptr + offsets, mask=mask) + 0.1 * grad
    square = 0.999 * tl.load(square_ptr + offsets, mask=mask) + 0.001 * grad * grad
    update = mean / mean_correction / (tl.sqrt(square / square_correction) + 1e-8)
    tl.store(new_weight_ptr + offsets, weight * keep - lr * update, mask=mask)
    tl.store(new_mean_ptr + offsets, mean, mask=mask)
    tl.store(new_square_ptr + offsets, square, mask=mask)


def adamw(weight, grad, mean, square, step, lr, decay):
    inputs = [x.contiguous() for x in (weight, grad, mean, square)]
    outputs = [torch.empty_like(x) for x in (inputs[0], inputs[2], inputs[3])]
    n = weight.numel()
    corrections = 1 - 0.9**step, 1 - 0.999**step
    adamw_kernel[(triton.cdiv(n, BLOCK),)](
        *inputs, *outputs, n, 1 - lr * decay, lr, *corrections, BLOCK=BLOCK
    )
    return tuple(outputs)
