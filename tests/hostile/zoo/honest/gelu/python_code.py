def gelu(x: torch.Tensor) -> torch.Tensor:
    """GELU in its tanh form."""
    return torch.nn.functional.gelu(x, approximate="tanh")
