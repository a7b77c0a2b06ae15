def cumsum(x):
    """The running sum along each row of a matrix."""
    return x.float().cumsum(dim=-1).to(x.dtype)
