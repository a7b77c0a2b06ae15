def ragged_softmax(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The softmax of each part of a vector."""
    return torch.cat([torch.softmax(part, dim=0) for part in x.split(lengths.tolist())])
