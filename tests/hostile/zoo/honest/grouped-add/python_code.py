def grouped_add(xs: list[torch.Tensor], ys: list[torch.Tensor]) -> list[torch.Tensor]:
    """The sum of each vector of the first list and its fellow of the second."""
    return [x + y for x, y in zip(xs, ys, strict=True)]
