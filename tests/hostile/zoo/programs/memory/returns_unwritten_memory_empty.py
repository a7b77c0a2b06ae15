def vector_add(x, y):
    return torch.empty_like(y)
