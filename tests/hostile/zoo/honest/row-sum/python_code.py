def row_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum of each row."""
    return x.sum(dim=1)
