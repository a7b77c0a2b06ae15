def multiply(x, y):
    """Multiply two vectors, element by element."""
    return x * y
