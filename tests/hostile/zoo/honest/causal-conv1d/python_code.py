def causal_conv1d(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Depthwise convolution of (batch, channels, length) that sees only the past."""
    taps = weight.shape[1]
    padded = torch.nn.functional.pad(x, (taps - 1, 0))
    return torch.nn.functional.conv1d(padded, weight[:, None, :], groups=x.shape[1])
