import torch.nn.functional as F


def hard_sigmoid(x):
    return F.hardsigmoid(x)
