def row_argmax(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest value of each row and the first place where it stands."""
    values = x.amax(dim=1)
    return values, (x == values[:, None]).int().argmax(dim=1)
