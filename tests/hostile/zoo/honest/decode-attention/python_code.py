import math

import torch


def decode_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: torch.Tensor
) -> torch.Tensor:
    """One query for each sequence against its first `lengths` keys."""
    scores = torch.einsum("bd,bnd->bn", q, k) / math.sqrt(q.shape[-1])
    absent = torch.arange(k.shape[1], device=q.device)[None, :] >= lengths[:, None]
    weights = torch.softmax(scores.masked_fill(absent, float("-inf")), dim=-1)
    return torch.einsum("bn,bnd->bd", weights, v)
