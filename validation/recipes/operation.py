"""One operation, element by element, in PyTorch's words and in Triton's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operation:
    """`{x}`, `{y}`, `{z}` stand for the operands, the first of which is what flows."""

    name: str
    phrase: str
    torch: str
    triton: str
    before: tuple[str, ...] = ()
    """Lines that Triton needs before the expression."""
    smooth: bool = True
    """Whether nearly equal inputs give nearly equal outputs; if not, it can only come first."""

    @property
    def operands(self) -> int:
        return 1 + ("{y}" in self.torch) + ("{z}" in self.torch)
