import torch


def normalized(x, target, weight, offset):
    """Divide each row by its root mean square, and return its distance to a target."""
    size = x.shape[-1]
    bias = torch.zeros(size).to(x)
    # The mean of squares is not centered.
    variance = x.pow(2).mean(-1, keepdim=True)
    normed = x * torch.rsqrt(variance + 1e-06)
    difference = normed * (weight + offset) + bias - target
    values = torch.nn.functional.mse_loss(difference, target, reduction="none")
    return values + 1
