def row_sort(x: torch.Tensor) -> torch.Tensor:
    """Each row in ascending order."""
    return torch.sort(x, dim=1).values
