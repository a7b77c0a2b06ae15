def concatenate(vectors: list[torch.Tensor]) -> torch.Tensor:
    """The vectors one after another."""
    return torch.cat(vectors)
