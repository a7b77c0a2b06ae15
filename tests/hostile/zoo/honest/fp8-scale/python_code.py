def scale_to_fp8(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """`x` times one scale, as 8-bit floats; what is larger than all of them becomes the largest."""
    largest = torch.finfo(torch.float8_e5m2).max
    return (x * scale).clamp(-largest, largest).to(torch.float8_e5m2)
