"""Chains of operations: their statements in PyTorch and Triton, and a sentence about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from validation.pairs.recipes.operation import Operand, Operation


@dataclass(frozen=True, slots=True)
class Chain:
    """Operations on `x` from left to right. Each additional operand is a separate tensor."""

    operations: tuple[Operation, ...]

    @property
    def has_distinct_names(self) -> bool:
        """True if no operation and no operand occurs twice in the chain."""
        names = [*(operation.name for operation in self.operations), *self.operands]
        return len(set(names)) == len(names)

    @property
    def name(self) -> str:
        """Name of a function that computes the chain."""
        if len(self.operations) == 1:
            return self.operations[0].name
        return self.suffix

    @property
    def suffix(self) -> str:
        """Name of the chain as a suffix to the name of another operation."""
        return "_".join(operation.short or operation.name for operation in self.operations)

    @property
    def result(self) -> str:
        """Name of the result. It is `x` if there are no operations."""
        return "y" if self.operations else "x"

    @property
    def further(self) -> tuple[Operand, ...]:
        """The additional tensors, in the order in which they are used."""
        return tuple(operand for operation in self.operations for operand in operation.further)

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the additional tensors."""
        return tuple(operand.name for operand in self.further)

    @property
    def floats(self) -> tuple[str, ...]:
        """Names of the additional floating-point tensors."""
        return tuple(one.name for one in self.further if one.draw != "mask")

    @property
    def draw(self) -> str:
        """Distribution of the values of `x` in a test."""
        return "wide" if any(one.draw == "wide" for one in self.operations) else "normal"

    @property
    def phrases(self) -> tuple[str, ...]:
        """Imperative description of each operation, such as “add a bias”."""
        return tuple(
            # After the first operation, a formula applies to the previous result, called y.
            FORMULA.sub("y", operation.phrase) if place else operation.phrase
            for place, operation in enumerate(self.operations)
        )

    @property
    def singles(self) -> tuple[Chain, ...]:
        return tuple(Chain((operation,)) for operation in self.operations)

    @property
    def steps(self) -> str:
        """The phrases, joined as in the summary of a table."""
        return "; ".join(self.phrases)

    def sentence(self, *, first: tuple[str, ...] = (), last: tuple[str, ...] = ()) -> str:
        return sentence_of(*first, *self.phrases, *last)

    def arguments(self, full: str, row: str = "", column: str = "") -> str:
        """Return the additional tensors in the notation for arguments of a table."""
        return arguments_of(self.further, full, row, column)

    def torch(
        self, source: str = "x", target: str = "y", views: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """Return PyTorch's lines. `views`: expressions that replace operands."""
        lines = []
        for operation in self.operations:
            written = ((views or {}).get(one.name, one.name) for one in operation.further)
            lines.append(f"{target} = {_filled(operation.torch, source, written)}")
            source = target
        return tuple(lines)

    def triton(self, source: str = "x", target: str = "y") -> tuple[str, ...]:
        lines = []
        for operation in self.operations:
            names = [one.name for one in operation.further]
            lines += [_filled(line, source, names) for line in operation.before]
            lines.append(f"{target} = {_filled(operation.triton, source, names)}")
            source = target
        return tuple(lines)


def arguments_of(operands: Iterable[Operand], full: str, row: str = "", column: str = "") -> str:
    """Return operands in a table's notation for arguments. `row` and `column` default to `full`."""
    shapes = {"full": full, "row": row or full, "column": column or full}
    return "; ".join(
        f"{one.name} [{shapes[one.kind]}] {one.draw}{' bool' * (one.draw == 'mask')}"
        for one in operands
    )


def sentence_of(*phrases: str) -> str:
    """Join imperative phrases into one sentence: “Add a bias, then apply ReLU and dropout.”"""
    steps: list[str] = []
    for phrase in phrases:
        is_more = bool(steps) and steps[-1].startswith("apply ") and phrase.startswith("apply ")
        # Otherwise the end of one step could refer to both steps: “a norm with a weight and ReLU”.
        if is_more and " and " not in phrase and not COMPLEMENT.search(steps[-1]):
            earlier = steps[-1].replace(" and ", ", ")
            steps[-1] = f"{earlier} and {phrase.removeprefix('apply ')}"
        else:
            steps.append(phrase)
    *earlier_steps, last = steps
    if len(earlier_steps) == 1 and " and " not in earlier_steps[0] + last:
        text = f"{earlier_steps[0]} and {last}"
    else:
        text = ", then ".join(filter(None, (", ".join(earlier_steps), last)))
    return f"{text[0].upper()}{text[1:]}."


# The variable `x` in formulas such as “exp(-x²)” or “log(1 + |x|)”.
FORMULA = re.compile(r"\bx(?=²|\|)")
COMPLEMENT = re.compile(r" (?:with|of|at|by|to) ")


def _filled(text: str, x: str, operands: Iterable[str]) -> str:
    return text.format(x=x, **dict(zip("yz", operands, strict=False)))
