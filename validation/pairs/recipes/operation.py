"""One element-wise operation, in PyTorch and in Triton."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation. `{x}`, `{y}`, `{z}` are the operands; the first is the chain's value."""

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
