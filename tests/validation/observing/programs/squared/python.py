def squared(x):
    """Square each element."""
    return x * x
