def vector_add(x, y):
    return None
