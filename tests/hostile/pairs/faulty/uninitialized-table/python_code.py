import torch


def occurrences(ids):
    _, inverse, counts = torch.unique(ids, return_inverse=True, return_counts=True)
    return counts[inverse].to(torch.int32)
