from itertools import pairwise

import torch


def segment_mean(x: torch.Tensor, bounds: torch.Tensor) -> torch.Tensor:
    """The mean of the rows of each segment. `bounds`: where segments begin, and the end."""
    places = bounds.tolist()
    return torch.stack([x[a:b].mean(dim=0) for a, b in pairwise(places)])
