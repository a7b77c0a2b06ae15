def scale_twice(x, w):
    h = torch.tanh(x * w)
    return torch.tanh(h * w) + x
