def cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross entropy over the rows whose label is not -100."""
    return torch.nn.functional.cross_entropy(logits, labels, ignore_index=-100)
