def min_along_axis(x, axis):
    """Find the smallest of the elements along one axis of a matrix."""
    return x.amin(dim=axis)
