"""Properties that the inputs of all shown cases share, and inputs that break them.

A faulty kernel may be right on every shown input if a bias is always zero, or all inputs have one
sign. So for each shared property, one trial breaks it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

# Range of the numbers, as a share of their size, below which a tensor counts as narrow.
NARROW = 0.05
# A few elements may have any property by chance, so smaller tensors are ignored.
LEAST = 8


def _is_constant(tensor: torch.Tensor) -> bool:
    return bool((tensor == tensor.reshape(-1)[0]).all())


def _has_one_sign(tensor: torch.Tensor) -> bool:
    return bool((tensor >= 0).all() or (tensor <= 0).all())


def _is_symmetric(tensor: torch.Tensor) -> bool:
    square = tensor.dim() >= 2 and tensor.shape[-1] == tensor.shape[-2] > 1
    return square and bool(torch.equal(tensor, tensor.transpose(-1, -2)))


def _is_sorted(tensor: torch.Tensor) -> bool:
    if tensor.dim() == 0 or tensor.shape[-1] < LEAST:
        return False
    steps = tensor.diff(dim=-1)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _is_narrow(tensor: torch.Tensor) -> bool:
    plain = tensor.double()
    return float(plain.max() - plain.min()) <= NARROW * float(plain.abs().max())


PROPERTIES: dict[str, Callable[[torch.Tensor], bool]] = {
    "constant": _is_constant,
    "of one sign": _has_one_sign,
    "symmetric": _is_symmetric,
    "sorted": _is_sorted,
    "in a narrow range": _is_narrow,
}


def common_properties(shown: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return for each float argument the first property that it has in every shown case."""
    common = []
    for place in range(min(map(len, shown), default=0)):
        each = [inputs[place] for inputs in shown if _is_telling(inputs[place])]
        if not each or any(map(is_mask, each)):
            continue
        for name, holds in PROPERTIES.items():
            if all(map(holds, each)):
                common.append({"argument": place, "property": name})
                break
    return common


def _is_telling(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() >= LEAST


def is_mask(tensor: torch.Tensor) -> bool:
    """Return whether the tensor holds two values, one of them 0: a mask of factors or of -inf."""
    values = tensor.reshape(-1).double()
    others = values[values != 0]
    return 0 < others.numel() < values.numel() and bool((others == others[0]).all())


def break_property(tensor: torch.Tensor, name: str, generator: torch.Generator) -> torch.Tensor:
    """Return the tensor without the property, with numbers of a similar size."""
    plain = tensor.double()
    size = float(plain.abs().mean()) or 1.0
    noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
    match name:
        case "constant" | "in a narrow range":
            changed = plain + size * noise
        case "of one sign":
            changed = torch.where(noise > 0, plain, -plain)
        case "symmetric":
            changed = torch.where(noise > 0, plain, plain.flip(-1))
        case "sorted":
            changed = plain[..., torch.randperm(tensor.shape[-1], generator=generator)]
        case _:
            raise ValueError(name)
    return changed.to(tensor.dtype)
