import torch


def layer_norm(x, weight, bias, eps=1e-5):
    """Layer normalisation along the rows of a matrix."""
    centred = x.float() - x.float().mean(dim=-1, keepdim=True)
    normal = centred * torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    return (normal * weight + bias).to(x.dtype)
