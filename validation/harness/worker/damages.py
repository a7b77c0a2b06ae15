"""Kinds of damage to an answer or a gradient, and whether they changed anything."""

from collections.abc import Callable
from typing import Any

import torch

from validation.harness.worker.values import rebuilt, tensors_in

Damage = Callable[[torch.Tensor, tuple[Any, ...]], torch.Tensor]

# Far beyond rounding, and beyond any tolerance that fits the type.
RELATIVE = {
    torch.float64: 1e-2, torch.float32: 2e-2, torch.float8_e4m3fn: 0.5, torch.float8_e5m2: 1.0,
}  # fmt: skip
RELATIVE_HALF = 0.1
# Types in which torch computes hardly anything, and the types to use instead.
WIDER = {
    torch.float8_e4m3fn: torch.float32, torch.float8_e5m2: torch.float32,
    torch.float8_e8m0fnu: torch.float32,
    torch.uint16: torch.int64, torch.uint32: torch.int64, torch.uint64: torch.int64,
}  # fmt: skip
UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
# A plain number is damaged like a tensor of this type.
NUMBERS: dict[type, torch.dtype] = {
    bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128,
}  # fmt: skip
OTHER_TYPE = {
    torch.float64: torch.float32,
    torch.int64: torch.int32,
    torch.bool: torch.uint8,
    torch.complex128: torch.complex64,
    torch.complex64: torch.complex128,
}


def as_tensor(plain: Any) -> torch.Tensor | None:
    """Return the number as a tensor, or None if no tensor can hold it."""
    kind = type(plain)
    if kind not in NUMBERS or (kind is int and not -(2**63) <= plain < 2**63):
        return None
    return torch.tensor(plain, dtype=NUMBERS[kind])


def leaves(answer: Any) -> list[torch.Tensor]:
    return tensors_in(rebuilt(answer, lambda tensor: tensor, as_tensor))


def differ(undamaged: Any, damaged: Any) -> bool:
    """Return whether a tensor of the value changed. NaN equals NaN."""
    return any(
        before.dtype is not after.dtype
        or before.shape != after.shape
        or not torch.equal(_without_nan(before), _without_nan(after))
        for before, after in zip(leaves(undamaged), leaves(damaged), strict=True)
    )


def _without_nan(tensor: torch.Tensor) -> torch.Tensor:
    plain = _widened(tensor)
    return plain.nan_to_num() if plain.is_floating_point() else plain


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(WIDER.get(tensor.dtype, tensor.dtype))


def zeros(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    plain = _widened(answer)
    nothing = plain & ~plain if plain.dtype is torch.bool else plain * 0
    everywhere = torch.ones_like(plain, dtype=torch.bool)
    return torch.where(everywhere, nothing, plain).to(answer.dtype)


def _identity(answer: torch.Tensor, arguments: tuple[Any, ...]) -> torch.Tensor:
    for given in tensors_in(arguments):
        if given.shape == answer.shape and given.dtype is answer.dtype:
            return given + answer * 0 if answer.requires_grad else given.clone()
    return answer


def _last_block(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    plain = _widened(answer)
    size = plain.numel()
    kept = torch.arange(size, device=plain.device) < size - max(1, min(1024, size // 4))
    return (plain * kept.reshape(plain.shape).to(plain.dtype)).to(answer.dtype)


def _moved(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    return answer.reshape(-1).roll(1).reshape(answer.shape)


def relative(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    if not (answer.is_floating_point() or answer.is_complex()):
        return answer
    factor = 1 + RELATIVE.get(answer.dtype, RELATIVE_HALF)
    return (_widened(answer) * factor).to(answer.dtype)


def _other_type(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    wider = torch.float64 if answer.is_floating_point() else torch.int64
    return answer.to(OTHER_TYPE.get(answer.dtype, wider))


def _one_element(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    """Change the last element by more than the largest one. An unsigned element changes by half of
    its type's range."""
    if not answer.numel():
        return answer
    last = torch.arange(answer.numel(), device=answer.device) == answer.numel() - 1
    last = last.reshape(answer.shape)
    if answer.dtype is torch.bool:
        return answer ^ last
    plain = _widened(answer)
    if answer.dtype in UNSIGNED:
        # Adding so much could wrap around to the same number.
        half = torch.iinfo(answer.dtype).max // 2 + 1
        return (plain ^ (last.to(plain.dtype) * half)).to(answer.dtype)
    seen = plain.detach()
    size = seen.abs() if seen.is_complex() else seen.double().nan_to_num(0.0, 0.0, 0.0).abs()
    return (plain + last.to(plain.dtype) * (size.max() + 1).to(plain.dtype)).to(answer.dtype)


DAMAGES: dict[str, Damage] = {
    "all zeros": zeros,
    "the input handed back": _identity,
    "last block dropped": _last_block,
    "moved by one element": _moved,
    "one element wrong": _one_element,
    "small relative error": relative,
    "another type": _other_type,
}
