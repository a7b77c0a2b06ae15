"""Variants of an entry's inputs: values and layouts that occur in no case."""

from typing import Any

import torch

from validation.harness.worker.properties import break_property, is_mask
from validation.harness.worker.values import rebuilt


def make_variant(arguments: Any, variant: dict[str, Any] | None) -> Any:
    if variant is None or variant["kind"] == "expanded gradients":
        return arguments
    if isinstance(arguments, dict):
        values = make_variant(tuple(arguments.values()), variant)
        return dict(zip(arguments, values, strict=True))
    match variant["kind"]:
        case "scaled":
            return rebuilt(arguments, lambda tensor: _scaled(tensor, variant["by"]))
        case "shifted":
            return _shifted(arguments, variant["by"])
        case "special":
            value = float(variant["value"])
            return rebuilt(arguments, lambda tensor: _with_special(tensor, value))
        case "shuffled":
            generator = torch.Generator().manual_seed(variant["seed"])
            return rebuilt(arguments, lambda tensor: _shuffled(tensor, generator))
        case "spread":
            return tuple(
                rebuilt(argument, _spread) if place in variant["arguments"] else argument
                for place, argument in enumerate(arguments)
            )
        case "transposed":
            return rebuilt(arguments, _transposed)
        case "property":
            generator = torch.Generator().manual_seed(variant["seed"])
            place = variant["argument"]
            content = break_property(arguments[place], variant["property"], generator)
            changed = _like(arguments[place], content)
            return (*arguments[:place], changed, *arguments[place + 1 :])
    raise ValueError(variant["kind"])


def _keeps_values(tensor: torch.Tensor) -> bool:
    """Return whether to keep the values of a mask, a single number, or a tensor without floats."""
    return not tensor.is_floating_point() or tensor.numel() < 2 or is_mask(tensor)


def _scaled(tensor: torch.Tensor, by: float) -> torch.Tensor:
    if _keeps_values(tensor):
        return tensor
    return _like(tensor, (tensor.double() * by).to(tensor.dtype))


def _shifted(arguments: tuple[Any, ...], by: float) -> tuple[Any, ...]:
    """Return the arguments with a number added to the first float tensor only: products of several
    shifted tensors would lose all digits, and so would half precision."""
    for place, part in enumerate(arguments):
        if isinstance(part, torch.Tensor) and not _keeps_values(part):
            if part.dtype not in (torch.float32, torch.float64):
                break
            return (*arguments[:place], _like(part, part + by), *arguments[place + 1 :])
    return arguments


def _with_special(tensor: torch.Tensor, value: float) -> torch.Tensor:
    """Return the tensor with this value at one element, in the middle."""
    if _keeps_values(tensor):
        return tensor
    changed = _like(tensor, tensor)
    changed[tuple((size - 1) // 2 for size in tensor.shape)] = value
    return changed


def _shuffled(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    order = torch.randperm(tensor.numel(), generator=generator)
    return _like(tensor, tensor.reshape(-1)[order].reshape(tensor.shape))


def _transposed(tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.is_floating_point() or tensor.dim() < 2:
        return tensor
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def _spread(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same values, with each gap in memory doubled."""
    if 0 in tensor.stride() or tensor.numel() == 0:
        return tensor
    stride, dense = list(tensor.stride()), 1
    for place in sorted(range(tensor.dim()), key=lambda place: stride[place]):
        if stride[place] > dense:
            stride[place] *= 2
        dense = max(dense, stride[place]) * max(1, tensor.shape[place])
    return _strided(tensor.shape, stride, tensor)


def _like(tensor: torch.Tensor, content: torch.Tensor) -> torch.Tensor:
    """Return `content` in the layout of `tensor`, unless its elements share memory."""
    if 0 in tensor.stride():
        return torch.empty(tensor.shape, dtype=tensor.dtype).copy_(content)
    return _strided(tensor.shape, tensor.stride(), content)


def _strided(shape: torch.Size, stride: Any, content: torch.Tensor) -> torch.Tensor:
    if 0 in shape:
        return torch.empty_strided(shape, stride, dtype=content.dtype)
    last = sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    base = torch.zeros(last + 1, dtype=content.dtype)
    return base.as_strided(shape, stride).copy_(content)
