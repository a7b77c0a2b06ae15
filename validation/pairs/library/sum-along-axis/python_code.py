def sum_along_axis(x, axis):
    """Add up the elements along one axis of a matrix."""
    return x.sum(dim=axis)
