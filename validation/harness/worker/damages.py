"""Kinds of damage to an answer or a gradient, and whether they changed anything."""

from collections.abc import Callable
from typing import Any

import torch

from validation.harness.worker.values import rebuilt, tensors_in

Damage = Callable[[torch.Tensor, tuple[Any, ...]], torch.Tensor]

# Relative changes far beyond rounding, and beyond any tolerance that fits the type.
RELATIVE = {
    torch.float64: 1e-2, torch.float32: 2e-2, torch.float8_e4m3fn: 0.5, torch.float8_e5m2: 1.0,
}  # fmt: skip
RELATIVE_HALF = 0.1
# Types with little support in torch, and the types to compute in instead.
WIDER = {
    torch.float8_e4m3fn: torch.float32, torch.float8_e5m2: torch.float32,
    torch.float8_e8m0fnu: torch.float32,
    torch.uint16: torch.int64, torch.uint32: torch.int64, torch.uint64: torch.int64,
}  # fmt: skip
UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
# Python numbers are damaged as tensors of these types.
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
    """Return whether any tensor of the value changed. NaN equals NaN."""
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


def _without_block(answer: torch.Tensor, *, first: bool) -> torch.Tensor:
    plain = _widened(answer)
    size = plain.numel()
    places = torch.arange(size, device=plain.device)
    block = max(1, min(1024, size // 4))
    kept = places >= block if first else places < size - block
    return (plain * kept.reshape(plain.shape).to(plain.dtype)).to(answer.dtype)


def _moved(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    return _if_apart(answer, answer.reshape(-1).roll(1).reshape(answer.shape))


def relative(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    if not (answer.is_floating_point() or answer.is_complex()):
        return answer
    factor = 1 + RELATIVE.get(answer.dtype, RELATIVE_HALF)
    return (_widened(answer) * factor).to(answer.dtype)


def _other_type(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    wider = torch.float64 if answer.is_floating_point() else torch.int64
    return answer.to(OTHER_TYPE.get(answer.dtype, wider))


def _with_wrong(answer: torch.Tensor, place: int) -> torch.Tensor:
    """Change the element at this index of the flattened answer, by more than the largest one. An
    unsigned element changes by half of its type's range."""
    wrong = torch.arange(answer.numel(), device=answer.device) == place
    wrong = wrong.reshape(answer.shape)
    if answer.dtype is torch.bool:
        return answer ^ wrong
    plain = _widened(answer)
    if answer.dtype in UNSIGNED:
        # Addition could wrap around to the same number, so flip the highest bit.
        half = torch.iinfo(answer.dtype).max // 2 + 1
        return (plain ^ (wrong.to(plain.dtype) * half)).to(answer.dtype)
    largest = (_sizes(plain).max() + 1).to(plain.dtype)
    return (plain + wrong.to(plain.dtype) * largest).to(answer.dtype)


def _sizes(tensor: torch.Tensor) -> torch.Tensor:
    seen = tensor.detach()
    return seen.abs() if seen.is_complex() else seen.double().nan_to_num(0.0, 0.0, 0.0).abs()


def _random_place(count: int) -> int:
    """Return an index that depends only on the count, so that all runs choose the same."""
    return int(torch.randint(count, (), generator=torch.Generator().manual_seed(count)))


def _negated(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    if answer.dtype is torch.bool or answer.dtype in UNSIGNED:
        return answer
    return (-_widened(answer)).to(answer.dtype)


def _rows_swapped(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    """Swap a random row with the row that differs most. An element of a vector is a row."""
    rows = _widened(answer).reshape(-1, answer.shape[-1] if answer.dim() > 1 else 1)
    one = _random_place(len(rows))
    other = int(_apart(rows, rows[one]).amax(dim=1).argmax())
    order = torch.arange(len(rows), device=rows.device)
    order[[one, other]] = order[[other, one]]
    return _if_apart(answer, rows[order].reshape(answer.shape).to(answer.dtype))


def _if_apart(answer: torch.Tensor, damaged: torch.Tensor) -> torch.Tensor:
    """Return the damaged answer, or the undamaged one if a reasonable tolerance accepts both."""
    before, after = _widened(answer), _widened(damaged)
    largest = before if before.dtype is torch.bool else _sizes(before)
    return damaged if _apart(before, after).max() > RELATIVE_HALF * largest.max() else answer


def _apart(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return _sizes(one ^ other if one.dtype is torch.bool else one - other)


DAMAGES: dict[str, Damage] = {
    "all zeros": zeros,
    "the input handed back": _identity,
    "first block dropped": lambda answer, _: _without_block(answer, first=True),
    "last block dropped": lambda answer, _: _without_block(answer, first=False),
    "moved by one element": _moved,
    "first element wrong": lambda answer, _: _with_wrong(answer, 0),
    "one element wrong": lambda answer, _: _with_wrong(answer, _random_place(answer.numel())),
    "last element wrong": lambda answer, _: _with_wrong(answer, answer.numel() - 1),
    "sign flipped": _negated,
    "two rows swapped": _rows_swapped,
    "small relative error": relative,
    "another type": _other_type,
}
