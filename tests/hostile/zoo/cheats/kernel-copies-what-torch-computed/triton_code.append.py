honest = vector_add


def vector_add(x, y):
    return honest(x + y, torch.zeros_like(y))
