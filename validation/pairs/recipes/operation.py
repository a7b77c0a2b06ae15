"""One element-wise operation, in PyTorch and in Triton."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operand:
    """An additional operand of an operation. The first operand is the chain's value."""

    name: str
    kind: str = "full"
    """Alignment with a matrix: full, row (a value per column), or column (a value per row)."""
    draw: str = "normal"
    """Distribution of its values in a test: normal, positive or mask."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation. `{x}` is the chain's value, and `{y}` and `{z}` are additional operands."""

    name: str
    phrase: str
    """Imperative phrase for the operation, such as “add a bias”."""
    torch: str
    own: str = ""
    """Triton's expression, or "" if PyTorch's expression works in Triton too."""
    before: tuple[str, ...] = ()
    """Lines of Triton that must precede the expression."""
    further: tuple[Operand, ...] = ()
    short: str = ""
    """Short name for use in a chain's name, or "" to use `name`."""
    draw: str = "normal"
    """Distribution of the chain's input in a test. `wide` reaches limits that are far from zero."""

    @property
    def triton(self) -> str:
        return self.own or self.torch

    @property
    def operands(self) -> int:
        return 1 + len(self.further)
