def squared_halves(x: torch.Tensor) -> torch.Tensor:
    """The square of what a row's first half is away from its second; a last one is left over."""
    half = x.shape[1] // 2
    return (x[:, half : 2 * half] - x[:, :half]) ** 2
