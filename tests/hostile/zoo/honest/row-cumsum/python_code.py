def row_cumsum(x: torch.Tensor) -> torch.Tensor:
    """The running sums of each row."""
    return torch.cumsum(x, dim=1, dtype=x.dtype)
