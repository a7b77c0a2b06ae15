def weighted_sum(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The inner product of two vectors, as a scalar."""
    return (x * weight).sum()
