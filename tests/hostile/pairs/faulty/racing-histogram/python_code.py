import torch


def histogram(x, bins):
    return torch.bincount(x, minlength=bins)
