import math

import torch


def step_embedding(steps: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Cosines and sines of each step at falling frequencies, scaled."""
    half = scale.shape[0]
    places = torch.arange(half, device=scale.device, dtype=scale.dtype)
    angles = steps[:, None] * torch.exp(places * (-math.log(10000.0) / half))
    return torch.cat((torch.cos(angles) * scale, torch.sin(angles) * scale), dim=1)
