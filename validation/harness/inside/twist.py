"""Other values and layouts of the same inputs, which no case shows and any caller may bring."""

from typing import Any

import torch

from validation.harness.inside.habits import broken, is_mask
from validation.harness.inside.values import rebuilt


def twisted(arguments: tuple[Any, ...], twist: dict[str, Any] | None) -> Any:
    if twist is None:
        return arguments
    match twist["kind"]:
        case "scaled":
            return rebuilt(arguments, lambda tensor: _scaled(tensor, twist["by"]))
        case "special":
            return rebuilt(arguments, lambda tensor: _special(tensor, float(twist["value"])))
        case "shuffled":
            generator = torch.Generator().manual_seed(twist["seed"])
            return rebuilt(arguments, lambda tensor: _shuffled(tensor, generator))
        case "spread":
            return tuple(
                rebuilt(argument, _spread) if place in twist["arguments"] else argument
                for place, argument in enumerate(arguments)
            )
        case "transposed":
            return rebuilt(arguments, _transposed)
        case "habit":
            return _without_habit(arguments, twist)
    raise ValueError(twist["kind"])


def _without_habit(arguments: tuple[Any, ...], twist: dict[str, Any]) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(twist["seed"])
    place = twist["argument"]
    changed = _like(arguments[place])
    changed.copy_(broken(arguments[place], twist["habit"], generator))
    return (*arguments[:place], changed, *arguments[place + 1 :])


def _scaled(tensor: torch.Tensor, by: float) -> torch.Tensor:
    """Neither a single number, which is a parameter, nor a mask has a scale."""
    if not tensor.is_floating_point() or tensor.numel() < 2 or is_mask(tensor):
        return tensor
    changed = _like(tensor)
    changed.copy_((tensor.double() * by).to(tensor.dtype))
    return changed


def _special(tensor: torch.Tensor, value: float) -> torch.Tensor:
    """One element in the middle of each tensor. A single number and a mask keep theirs."""
    if not tensor.is_floating_point() or tensor.numel() < 2 or is_mask(tensor):
        return tensor
    changed = _like(tensor)
    changed.copy_(tensor)
    changed[tuple((size - 1) // 2 for size in tensor.shape)] = value
    return changed


def _shuffled(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    order = torch.randperm(tensor.numel(), generator=generator)
    changed = _like(tensor)
    changed.copy_(tensor.reshape(-1)[order].reshape(tensor.shape))
    return changed


def _spread(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same values with wider gaps where there were gaps."""
    stride, dense = list(tensor.stride()), 1
    for place in sorted(range(tensor.dim()), key=lambda place: stride[place]):
        if stride[place] > dense:
            stride[place] *= 2
        dense = max(dense, stride[place]) * max(1, tensor.shape[place])
    if 0 in tensor.stride() or tensor.numel() == 0:
        return tensor
    last = sum((size - 1) * step for size, step in zip(tensor.shape, stride, strict=True))
    base = torch.zeros(last + 1, dtype=tensor.dtype)
    changed = base.as_strided(tensor.shape, stride)
    changed.copy_(tensor)
    return changed


def _transposed(tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.is_floating_point() or tensor.dim() < 2:
        return tensor
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def _like(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same layout, unless elements share their memory."""
    if 0 in tensor.stride():
        return torch.empty(tensor.shape, dtype=tensor.dtype)
    last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
    if tensor.numel() == 0:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    base = torch.zeros(last + 1, dtype=tensor.dtype)
    return base.as_strided(tensor.shape, tensor.stride())
