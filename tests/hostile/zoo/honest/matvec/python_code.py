def matvec(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """A matrix times a vector."""
    return matrix @ vector
