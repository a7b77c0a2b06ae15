def huber_loss(x: torch.Tensor, y: torch.Tensor, delta: float) -> torch.Tensor:
    """Mean Huber loss: quadratic up to delta, linear beyond."""
    return torch.nn.functional.huber_loss(x, y, delta=delta)
