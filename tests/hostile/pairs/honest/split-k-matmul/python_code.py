def skinny_matmul(a, b):
    return torch.matmul(a, b)
