def vector_add(x, y):
    raise NotImplementedError
