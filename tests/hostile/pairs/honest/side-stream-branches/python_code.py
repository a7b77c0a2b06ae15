def two_branches(x, y):
    return torch.sigmoid(x) + torch.tanh(y)
