"""Memory between two guard zones, filled with a pattern that shows reads before writes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

ZONE = 8192
ALIGNMENT = 256
# Patterns of unwritten memory. As a float of any width the first is NaN and the second finite but
# absurd; as an index the first is -1. There are two because a kernel may write one of them itself.
NAN, ABSURD = 0xFF, 0x4B


@dataclass(slots=True)
class Guarded:
    """`inner` is the memory between the zones, as a tensor with its own storage."""

    inner: torch.Tensor
    whole: torch.Tensor
    start: int
    pattern: int
    what: str

    def as_tensor(
        self, dtype: torch.dtype, shape: object, stride: object, offset: int
    ) -> torch.Tensor:
        typed = torch.empty(0, dtype=dtype, device=self.inner.device)
        return typed.set_(self.inner.untyped_storage(), offset, shape, stride)  # type: ignore[call-overload,no-any-return]

    def zones(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the zones before and after `inner`. Their total size is always the same."""
        return self.whole[: self.start], self.whole[self.start + self.inner.numel() :]

    def trespass(self) -> str:
        """Return a description of writes to the zones, or an empty text."""
        before, after = self.zones()
        if len(changed := (after != self.pattern).nonzero()):
            where = "after the end"
        elif len(changed := (before != self.pattern).nonzero()):
            where = "before the start"
        else:
            return ""
        return f"writes to {len(changed)} bytes {where} of {self.what}"


def trespasses(guards: Sequence[Guarded]) -> list[str]:
    """Return a message for each guarded memory whose zones changed. All have the same pattern.

    All zones are compared at once. Separate comparisons would each wait for the GPU, which many
    processes share.
    """
    if not guards:
        return []
    zones = torch.cat([zone for guard in guards for zone in guard.zones()])
    touched = (zones.view(len(guards), -1) != guards[0].pattern).any(1).tolist()
    return [guard.trespass() for guard, hit in zip(guards, touched, strict=True) if hit]


def guarded(size: int, device: torch.device, pattern: int, what: str) -> Guarded:
    if device.type == "cpu":
        memory = np.full(size + 2 * ZONE + ALIGNMENT, pattern, dtype=np.uint8)
        start = ZONE + -(memory.ctypes.data + ZONE) % ALIGNMENT
        inner = torch.from_numpy(memory[start : start + size])
        return Guarded(inner, torch.from_numpy(memory), start, pattern, what)
    whole = torch.full((size + 2 * ZONE,), pattern, dtype=torch.uint8, device=device)
    empty = torch.empty(0, dtype=torch.uint8, device=device)
    inner = torch.as_tensor(_Window(whole, ZONE, size), device=device) if size else empty
    return Guarded(inner, whole, ZONE, pattern, what)


class _Window:
    """Part of a CUDA allocation, in the form from which torch makes a storage."""

    def __init__(self, whole: torch.Tensor, start: int, size: int) -> None:
        self.whole = whole
        self.__cuda_array_interface__ = {
            "data": (whole.data_ptr() + start, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 2,
        }
