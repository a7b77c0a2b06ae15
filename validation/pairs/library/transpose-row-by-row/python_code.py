def transpose(x):
    """The transpose of a matrix, as a new contiguous matrix."""
    return x.t().contiguous()
