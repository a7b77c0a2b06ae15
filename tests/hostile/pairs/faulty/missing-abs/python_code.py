import torch


def l1_norm(x):
    return torch.linalg.vector_norm(x, ord=1, dim=-1)
