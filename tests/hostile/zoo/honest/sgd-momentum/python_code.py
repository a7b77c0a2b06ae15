def sgd_momentum(
    weight: torch.Tensor, grad: torch.Tensor, momentum: torch.Tensor, lr: float, nesterov: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """One step of SGD with momentum 0.9: the new weight and the new momentum."""
    grad = grad.to(momentum.dtype)
    momentum = 0.9 * momentum + grad
    step = grad + 0.9 * momentum if nesterov else momentum
    return (weight.to(momentum.dtype) - lr * step).to(weight.dtype), momentum
