def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row."""
    return torch.softmax(x, dim=1)
