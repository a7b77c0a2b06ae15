def masked_fill(x: torch.Tensor, mask: torch.Tensor, value: float) -> torch.Tensor:
    """x where the mask is false, value where it is true."""
    return x.masked_fill(mask, value)
