import torch
import torch.nn.functional as F


def cross_entropy(logits, target):
    """The mean cross entropy over the rows whose target is not negative."""
    counted = target >= 0
    losses = F.cross_entropy(logits, target.clamp(min=0), reduction="none")
    return torch.where(counted, losses, 0.0).sum() / counted.sum().clamp(min=1)
