def packed_product(both: torch.Tensor) -> torch.Tensor:
    """left * right, where each row of `both` holds a left and then a right half."""
    left, right = both.chunk(2, dim=-1)
    return left * right
