import torch


def scatter_add(values, group, n_groups):
    """Add up the rows of each group."""
    sums = torch.zeros(n_groups, values.shape[1], dtype=values.dtype, device=values.device)
    return sums.index_add(0, group, values)
