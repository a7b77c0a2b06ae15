import python_code


def vector_add(x, y):
    return honest(python_code.vector_add(x, y), torch.zeros_like(y))
