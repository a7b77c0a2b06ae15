def adamw(
    weight: torch.Tensor,
    grad: torch.Tensor,
    mean: torch.Tensor,
    square: torch.Tensor,
    step: int,
    lr: float,
    decay: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One step of AdamW: the new weight and the new moments."""
    mean = 0.9 * mean + 0.1 * grad
    square = 0.999 * square + 0.001 * grad * grad
    denominator = (square / (1 - 0.999**step)).sqrt() + 1e-8
    update = mean / (1 - 0.9**step) / denominator
    return weight * (1 - lr * decay) - lr * update, mean, square
