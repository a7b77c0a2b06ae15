import torch


def int4_matmul(x, packed, scale):
    """x times a matrix of 4-bit weights, two in each byte: even rows low, odd rows high."""
    low = (packed & 15).float() - 8.0
    high = (packed >> 4).float() - 8.0
    weights = torch.stack([low, high], dim=1).flatten(0, 1)
    return (x @ weights) * scale
