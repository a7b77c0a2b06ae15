def min_whole(x):
    """Find the smallest of all elements of a vector."""
    return x.amin()
