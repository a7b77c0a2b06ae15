def running_total(values):
    return torch.cumsum(values, dim=0)
