def divide(x, y):
    """Divide one vector by another, element by element."""
    return x / y
