import torch


def softmax(x):
    """Softmax along the rows of a matrix."""
    return torch.softmax(x, dim=-1)
