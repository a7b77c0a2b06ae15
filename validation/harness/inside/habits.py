"""Habits that the inputs of all shown cases share, and the same inputs without them.

A faulty kernel can be right wherever its author looks: a bias that is always zero, inputs of one
sign. So each such habit is broken in a trial of its own.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

Is = Callable[[torch.Tensor], bool]

# A range this narrow beside the size of its numbers.
NARROW = 0.05
LEAST = 8


def _constant(tensor: torch.Tensor) -> bool:
    return bool((tensor == tensor.reshape(-1)[0]).all())


def _one_sign(tensor: torch.Tensor) -> bool:
    return bool((tensor >= 0).all() or (tensor <= 0).all())


def _symmetric(tensor: torch.Tensor) -> bool:
    square = tensor.dim() >= 2 and tensor.shape[-1] == tensor.shape[-2] > 1
    return square and bool(torch.equal(tensor, tensor.transpose(-1, -2)))


def _sorted(tensor: torch.Tensor) -> bool:
    if tensor.dim() == 0 or tensor.shape[-1] < LEAST:
        return False
    steps = tensor.diff(dim=-1)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _narrow(tensor: torch.Tensor) -> bool:
    plain = tensor.double()
    spread, size = float(plain.max() - plain.min()), float(plain.abs().max())
    return spread <= NARROW * size


HABITS: dict[str, Is] = {
    "constant": _constant,
    "of one sign": _one_sign,
    "symmetric": _symmetric,
    "sorted": _sorted,
    "in a narrow range": _narrow,
}


def habits(shown: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return what each floating-point argument is in every shown case, the plainest word only."""
    found = []
    for place in range(min(map(len, shown), default=0)):
        # Every habit holds for a few elements. A contract's case of one element says nothing.
        each = [one[place] for one in shown if _says_something(one[place])]
        if not each or any(map(is_mask, each)):
            continue
        for name, is_so in HABITS.items():
            if all(map(is_so, each)):
                found.append({"argument": place, "habit": name})
                break
    return found


def _says_something(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() >= LEAST


def is_mask(tensor: torch.Tensor) -> bool:
    """Return whether the tensor holds two values, of which one is 0: factors, or minus infinity."""
    values = tensor.reshape(-1).double()
    some = values[values != 0]
    return 0 < some.numel() < values.numel() and bool((some == some[0]).all())


def broken(tensor: torch.Tensor, habit: str, generator: torch.Generator) -> torch.Tensor:
    """Return the tensor without the habit, with numbers of the size that it has."""
    plain = tensor.double()
    size = float(plain.abs().mean()) or 1.0
    noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
    match habit:
        case "constant" | "in a narrow range":
            return (plain + size * noise).to(tensor.dtype)
        case "of one sign":
            return torch.where(noise > 0, plain, -plain).to(tensor.dtype)
        case "symmetric":
            return torch.where(noise > 0, plain, plain.flip(-1)).to(tensor.dtype)
        case "sorted":
            order = torch.randperm(tensor.shape[-1], generator=generator)
            return tensor[..., order]
    raise ValueError(habit)
