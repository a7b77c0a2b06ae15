import torch


def reference_norm_forward(hidden, target, offset, eps, size):
    weight = torch.ones(size).to(hidden)
    bias = torch.zeros(size).to(hidden)
    # The mean of squares is not centered.
    variance = hidden.pow(2).mean(-1, keepdim=True)
    normed = hidden * torch.rsqrt(variance + eps)
    return normed * (weight + offset) + bias - target


def normalized(x, target, weight, offset):
    """Divide each row by its root mean square, and return its distance to a target."""
    difference = reference_norm_forward(x, target, offset, 1e-06, x.shape[-1]) * weight
    values = torch.nn.functional.mse_loss(difference, target, reduction="none")
    return values + 1
