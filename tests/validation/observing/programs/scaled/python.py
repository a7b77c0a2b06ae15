import torch


def shifted(x, bias: torch.Tensor | None = None):
    return x if bias is None else x + bias


def scaled(x, factor):
    """Multiply by a factor."""
    return shifted(x) * factor
