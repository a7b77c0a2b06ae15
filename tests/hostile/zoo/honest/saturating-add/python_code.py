def saturating_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Adds 8-bit integers; what leaves the range stays at its end."""
    return (x.int() + y.int()).clamp(-128, 127).to(torch.int8)
