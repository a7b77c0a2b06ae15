import torch.nn.functional as F


def softplus(x):
    return F.softplus(x)
