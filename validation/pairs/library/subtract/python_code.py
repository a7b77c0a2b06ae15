def subtract(x, y):
    """Subtract one vector from another, element by element."""
    return x - y
