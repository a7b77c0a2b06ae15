honest = vector_add


def vector_add(x, y):
    return torch.add(x, y, out=honest(x, y))
