def scatter_add(base: torch.Tensor, indices: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """base with rows[i] added to its row indices[i], for every i."""
    return base.index_add(0, indices, rows)
