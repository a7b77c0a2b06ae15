def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    """Layer normalization over the last dimension."""
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, eps)
