def add(x, y):
    """Add two vectors, element by element."""
    return x + y
