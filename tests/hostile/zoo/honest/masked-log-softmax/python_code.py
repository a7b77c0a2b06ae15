def masked_log_softmax(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """log softmax of each row over the kept columns; -inf elsewhere."""
    return torch.log_softmax(x.masked_fill(~keep, float("-inf")), dim=1)
