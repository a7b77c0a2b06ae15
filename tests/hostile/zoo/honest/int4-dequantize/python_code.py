def dequantize(packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """Unpacks two 4-bit integers a byte (low one first) and scales each row."""
    low, high = (packed & 15).int() - 8, (packed >> 4).int() - 8
    whole = torch.stack((low, high), dim=2).flatten(1)
    return whole.to(scales.dtype) * scales[:, None]
