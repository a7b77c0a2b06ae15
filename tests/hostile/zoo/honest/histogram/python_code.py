def histogram(x: torch.Tensor, bins: int) -> torch.Tensor:
    """How often each of the values 0 … bins - 1 occurs."""
    return torch.bincount(x, minlength=bins).int()
