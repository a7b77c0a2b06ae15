"""Memory between two guard zones, filled with a pattern that shows where it is read unwritten."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

ZONE = 8192
ALIGNMENT = 256
# As a float of any width the first is NaN and the second finite but absurd; as an index the first
# is -1. Two patterns, since writing one's own poison back goes unseen.
NAN, ABSURD = 0xFF, 0x4B


@dataclass(slots=True)
class Guarded:
    """`inner` is all the bytes in between, in a storage of their own that starts there."""

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
        """Return the zones before and after: together as many bytes for every size."""
        return self.whole[: self.start], self.whole[self.start + self.inner.numel() :]

    def trespass(self) -> str:
        """Return where the zones were written to, in words, or an empty text."""
        before, after = self.zones()
        changed = (after != self.pattern).nonzero()
        if len(changed):
            return self._said(len(changed), f"{int(changed[0] + 1)} of after the end")
        changed = (before != self.pattern).nonzero()
        if len(changed):
            near = len(before) - int(changed[-1])
            return self._said(len(changed), f"{near} of before the start")
        return ""

    def _said(self, count: int, where: str) -> str:
        return f"writes to {count} bytes within {where} of {self.what}"


def trespasses(guards: Sequence[Guarded]) -> list[str]:
    """Return the words about each whose zones changed. All are compared together: a comparison for
    each would wait as often for the GPU, which many processes share."""
    alike = defaultdict(list)
    for guard in guards:
        alike[guard.whole.device, guard.pattern].append(guard)
    touched: set[int] = set()
    for (_, pattern), some in alike.items():
        zones = torch.cat([zone for guard in some for zone in guard.zones()])
        hits = (zones.view(len(some), -1) != pattern).any(1).tolist()
        touched |= {id(guard) for guard, hit in zip(some, hits, strict=True) if hit}
    return [guard.trespass() for guard in guards if id(guard) in touched]


def guarded(size: int, device: torch.device, pattern: int, what: str) -> Guarded:
    if device.type == "cpu":
        memory = np.full(size + 2 * ZONE + ALIGNMENT, pattern, dtype=np.uint8)
        start = ZONE + -(memory.ctypes.data + ZONE) % ALIGNMENT
        inner = torch.from_numpy(memory[start : start + size])
        return Guarded(inner, torch.from_numpy(memory), start, pattern, what)
    whole = torch.empty(size + 2 * ZONE, dtype=torch.uint8, device=device)
    whole.fill_(pattern)
    if not size:
        return Guarded(torch.empty(0, dtype=torch.uint8, device=device), whole, ZONE, pattern, what)
    inner = torch.as_tensor(_Window(whole, ZONE, size), device=device)
    return Guarded(inner, whole, ZONE, pattern, what)


class _Window:
    """A part of a CUDA allocation as torch takes it from others: a storage that starts there."""

    def __init__(self, whole: torch.Tensor, start: int, size: int) -> None:
        self.whole = whole
        self.__cuda_array_interface__ = {
            "data": (whole.data_ptr() + start, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 2,
        }
