from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Affine:
    """Parameters of a layer."""

    weight: torch.Tensor
    bias: torch.Tensor
    negate: bool


def affine(x: torch.Tensor, layer: Affine) -> torch.Tensor:
    """The values times a weight plus a bias, or the negative of that."""
    out = x.float() * layer.weight.float() + layer.bias.float()
    return (-out if layer.negate else out).to(x.dtype)
