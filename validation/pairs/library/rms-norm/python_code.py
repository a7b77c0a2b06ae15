import torch


def rms_norm(x, weight, eps=1e-6):
    """RMS normalisation along the rows of a matrix."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight
