def pairwise_distance(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The Euclidean distance of every row of x to every row of y."""
    return (x[:, None, :] - y[None, :, :]).pow(2).sum(dim=2).sqrt()
