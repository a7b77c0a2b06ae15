"""One element-wise operation, in PyTorch and in Triton."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operand:
    """An additional operand of an operation, besides the chain's value."""

    name: str
    kind: str = "full"
    """Alignment with a matrix: full, row (one value for each column), or column."""
    draw: str = "normal"
    """Values in a test: normal, positive or mask."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation. `{x}` is the chain's value; `{y}` and `{z}` are additional operands."""

    name: str
    phrase: str
    """The operation in the imperative, such as “add a bias”."""
    torch: str
    own: str = ""
    """Triton's expression; empty if it is PyTorch's."""
    before: tuple[str, ...] = ()
    """Lines that Triton needs before the expression."""
    further: tuple[Operand, ...] = ()
    short: str = ""
    """Short name for use in a chain's name; empty to use `name`."""
    draw: str = "normal"
    """Values of the chain's input in a test: normal, or wide to reach limits far from zero."""

    @property
    def triton(self) -> str:
        return self.own or self.torch

    @property
    def operands(self) -> int:
        return 1 + len(self.further)
