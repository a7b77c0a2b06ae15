def max_along_axis(x, axis):
    """Find the largest of the elements along one axis of a matrix."""
    return x.amax(dim=axis)
