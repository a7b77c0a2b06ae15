BLOCK = 512


@triton.jit
def sgd_kernel(weight_ptr, grad_ptr, momentum_ptr, new_weight_ptr, new_momentum_ptr, n, stride, lr,
               NESTEROV: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    weight = tl.load(weight_ptr + offsets, mask=mask).to(tl.float32)
    grad = tl.load(grad_ptr + offsets * stride, mask=mask).to(tl.float32)
    momentum = 0.9 * tl.load(momentum_ptr + offsets, mask=mask) + grad
    step = grad + 0.9 * momentum if NESTEROV else momentum
    new_weight = (weight - lr * step).to(new_weight_ptr.dtype.element_ty)
    tl.store(new_weight_ptr + offsets, new_weight, mask=mask)
    tl.store(new_momentum_ptr + offsets, momentum, mask=mask)


def sgd_momentum(weight, grad, momentum, lr, nesterov):
    weight, momentum = weight.contiguous(), momentum.contiguous()
    new_weight, new_momentum = torch.empty_like(weight), torch.empty_like(momentum)
    n = weight.numel()
    sgd_kernel[(triton.cdiv(n, BLOCK),)](
        weight, grad, momentum, new_weight, new_momentum, n, grad.stride(0), lr,
        NESTEROV=nesterov, BLOCK=BLOCK,
    )  # fmt: skip
    return new_weight, new_momentum
