def matmul(a, b):
    """The product of two matrices."""
    return a @ b
