def row_logsumexp(x):
    return torch.logsumexp(x, dim=1)
