def vector_add(x, y):
    return torch.add(x, y, out=honest(x, y))
