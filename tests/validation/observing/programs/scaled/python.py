import torch


def shifted(x, bias=None):
    return x if bias is None else x + bias


def scaled(x, factor):
    """Multiply by a factor."""
    return shifted(x) * factor
