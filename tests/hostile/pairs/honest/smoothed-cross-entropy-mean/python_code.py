import torch.nn.functional as F


def smoothed_cross_entropy(logits, target, smoothing=0.1):
    return F.cross_entropy(logits, target, label_smoothing=smoothing)
