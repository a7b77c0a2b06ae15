def hard_swish(x: torch.Tensor) -> torch.Tensor:
    """x * min(max(x + 3, 0), 6) / 6."""
    return torch.nn.functional.hardswish(x)
