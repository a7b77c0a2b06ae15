def clip_scale(
    x: torch.Tensor, *, low: float, high: float, factor: float, device: torch.device
) -> torch.Tensor:
    """The values within bounds, times a factor, on the device."""
    return x.to(device).clamp(low, high) * factor
