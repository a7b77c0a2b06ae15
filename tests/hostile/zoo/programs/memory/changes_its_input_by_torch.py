def vector_add(x, y):
    out = honest(x, y)
    y.zero_()
    return out
