def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The sum of two vectors."""
    return x + y
