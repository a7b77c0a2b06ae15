import torch


def rotary_embedding(x, cos, sin):
    """Rotate the two halves of each head's features by the angle of their position."""
    first, second = x.float().chunk(2, dim=-1)
    # Angles are given, not learnt.
    cos, sin = cos.detach()[None, :, None, :], sin.detach()[None, :, None, :]
    rotated = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return rotated.to(x.dtype)
