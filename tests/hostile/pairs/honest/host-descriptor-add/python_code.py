def add_scaled(a, b, alpha):
    return torch.add(a, b, alpha=alpha)
