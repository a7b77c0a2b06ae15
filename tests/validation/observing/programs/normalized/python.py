import torch
import torch.nn as nn


class ReferenceNorm(nn.Module):
    """Root mean square norm."""

    def __init__(self, size, eps=1e-6, offset=0.0, affine=True):
        super().__init__()
        assert size > 0
        self.size = size
        self.offset = offset
        if affine:
            self.weight = nn.Parameter(torch.ones(size))
        else:
            self.register_parameter("weight", None)
        self.bias = nn.Parameter(torch.zeros(size))
        self.variance_epsilon = eps

    def forward(self, hidden, target):
        # The mean of squares is not centered.
        variance = hidden.pow(2).mean(-1, keepdim=True)
        normed = hidden * torch.rsqrt(variance + self.variance_epsilon)
        return normed * (self.weight + self.offset) + self.bias - target


def shifted(values):
    result = values + 1
    return result


def normalized(x, target, weight, offset):
    """Divide each row by its root mean square, and return its distance to a target."""
    norm = ReferenceNorm(x.shape[-1], offset=offset).to(x.device).to(x.dtype)
    difference = norm(x, target) * weight
    return shifted(torch.nn.functional.mse_loss(difference, target, reduction="none"))
