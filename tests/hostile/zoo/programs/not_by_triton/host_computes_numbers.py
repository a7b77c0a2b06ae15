def vector_add(x, y):
    total = honest(x, y)
    first = [float(x[place]) + float(y[place]) for place in range(min(64, len(x)))]
    total[: len(first)] = torch.tensor(first, dtype=x.dtype, device=x.device)
    return total
