"""Chains of operations: the lines of each side, and the sentence about them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from validation.pairs.recipes.informative import VALUES, answers, is_informative, operand
from validation.pairs.recipes.operation import Operation

OPERAND_NAMES = ("bias", "residual", "gate", "other", "shift", "weight_map")


@dataclass(frozen=True, slots=True)
class Chain:
    """Operations on `x` from left to right; each further operand is a tensor of its own."""

    operations: tuple[Operation, ...]

    @property
    def possible(self) -> bool:
        """True if only the first operation jumps, none repeats, and the result is informative."""
        names = [operation.name for operation in self.operations]
        return (
            len(set(names)) == len(names)
            and all(operation.smooth for operation in self.operations[1:])
            and (not self.operations or is_informative(answers_of(self)))
        )

    @property
    def name(self) -> str:
        return "_".join(operation.name for operation in self.operations)

    @property
    def result(self) -> str:
        """Name of the result: `x` itself without operations."""
        return "y" if self.operations else "x"

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the further tensors, in the order of use."""
        return OPERAND_NAMES[: sum(operation.operands - 1 for operation in self.operations)]

    @property
    def phrase(self) -> str:
        """Description, such as “ReLU, then adding bias, then the sine”."""
        return ", then ".join(_phrase(operation, operands) for operation, operands in self._uses())

    def torch(self, source: str = "x", target: str = "y") -> tuple[str, ...]:
        lines = []
        for operation, operands in self._uses():
            lines.append(f"{target} = {_filled(operation.torch, source, operands)}")
            source = target
        return tuple(lines)

    def triton(self, source: str = "x", target: str = "y") -> tuple[str, ...]:
        lines = []
        for operation, operands in self._uses():
            lines += [_filled(line, source, operands) for line in operation.before]
            lines.append(f"{target} = {_filled(operation.triton, source, operands)}")
            source = target
        return tuple(lines)

    def _uses(self) -> Iterable[tuple[Operation, tuple[str, ...]]]:
        remaining = list(self.operands)
        for operation in self.operations:
            count = operation.operands - 1
            yield operation, tuple(remaining[:count])
            del remaining[:count]


@functools.lru_cache(maxsize=1 << 16)
def answers_of(chain: Chain, kind: str = "ordinary") -> Any:
    """Return the chain's results for values of this kind."""
    values = VALUES[kind]
    operands = {name: operand(number, values) for number, name in enumerate(chain.operands)}
    return answers(chain.triton(), x=values, y=values, **operands)


def _phrase(operation: Operation, operands: tuple[str, ...]) -> str:
    if operation.operands == 2:
        return f"{operation.phrase} {operands[0]}"
    return _filled(operation.phrase, "it", operands)


def _filled(text: str, x: str, operands: tuple[str, ...]) -> str:
    return text.format(x=x, **dict(zip("yz", operands, strict=False)))
