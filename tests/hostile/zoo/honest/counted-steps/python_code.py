from typing import NamedTuple

import torch


class History(NamedTuple):
    """The mean of earlier gradients, and how many there were."""

    mean: torch.Tensor
    count: int


def warm_momentum(
    weight: torch.Tensor, grad: torch.Tensor, history: History, state: dict
) -> torch.Tensor:
    """The weight after a step along the mean of all gradients, which grows with the steps."""
    state["step"] += 1
    mean = (history.mean * history.count + grad.float()) / (history.count + 1)
    return (weight.float() - 0.1 * min(1.0, state["step"] / 10) * mean).to(weight.dtype)
