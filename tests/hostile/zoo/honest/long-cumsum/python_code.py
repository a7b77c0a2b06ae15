def long_cumsum(x: torch.Tensor) -> torch.Tensor:
    """The running sums of a vector."""
    return torch.cumsum(x, dim=0)
