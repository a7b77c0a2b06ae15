import torch


def add_rms_norm(x, residual, weight, eps=1e-6):
    """Add a residual; return its RMS normalisation and the sum itself."""
    total = x.float() + residual.float()
    normal = total * torch.rsqrt(total.square().mean(dim=-1, keepdim=True) + eps)
    return (normal * weight.float()).to(x.dtype), total.to(x.dtype)
