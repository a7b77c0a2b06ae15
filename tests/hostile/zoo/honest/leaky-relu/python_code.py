def leaky_relu(x: torch.Tensor, slope: float = 0.01) -> torch.Tensor:
    """x where it is positive, slope * x elsewhere."""
    return torch.nn.functional.leaky_relu(x, slope)
