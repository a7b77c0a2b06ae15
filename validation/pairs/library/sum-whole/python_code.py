def sum_whole(x):
    """Add up all elements of a vector."""
    return x.sum()
