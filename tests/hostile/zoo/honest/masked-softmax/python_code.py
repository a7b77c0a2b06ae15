def masked_softmax(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Softmax of each row over the elements that the mask keeps."""
    return torch.softmax(x.masked_fill(~mask, float("-inf")), dim=-1)
