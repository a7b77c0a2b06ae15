torch.Tensor.__add__ = lambda x, y: torch.zeros_like(y)
