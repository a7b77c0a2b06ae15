def max_whole(x):
    """Find the largest of all elements of a vector."""
    return x.amax()
