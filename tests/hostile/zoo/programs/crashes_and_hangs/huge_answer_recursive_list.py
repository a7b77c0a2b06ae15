def vector_add(x, y):
    out = []
    out.append(out)
    return out
