"""Numbering of a function's operations, each once, in canonical spelling."""

from __future__ import annotations

from collections.abc import Sequence

from curation.similarity.operation_names import (
    ALIASES,
    COMMUTATIVE,
    DEFAULTS,
    IMPURE,
    KEYWORDS,
    VIEWS,
)
from curation.similarity.operation_values import (
    NotFollowedError,
    Value,
    arguments_spelled,
    spelled,
)

MOST = 5_000
"""Maximum number of operations. References have far fewer; a generated text may be endless."""


class Numbering:
    def __init__(self) -> None:
        self.lines: list[str] = []
        """Canonical lines of the function, without names."""
        self._operations: list[str] = []
        self._known: dict[str, str] = {}
        self._count = 0

    def chain(self) -> tuple[str, ...]:
        """Return the names of computing operations; of all operations if none computes."""
        computing = tuple(name for name in self._operations if name not in VIEWS)
        return computing or tuple(self._operations)

    def begin_chain(self) -> None:
        """Drop the chain so far, which initialized weights."""
        self._operations.clear()

    def forget_values(self) -> None:
        """Number all values anew from here on: a tensor may have another name and change."""
        self._known.clear()

    def note(self, kind: str, *values: Value) -> None:
        """Add a line about control flow."""
        self.lines.append(" ".join([kind, *map(spelled, values)]))

    def fresh(self) -> str:
        self._count += 1
        if self._count > MOST:
            raise NotFollowedError("Too many operations.")
        return f"v{self._count}"

    def emit(
        self,
        name: str,
        operands: Sequence[Value],
        keywords: dict[str, Value] | None = None,
        *,
        effect: bool = False,
        listed: bool = True,
    ) -> str:
        """Number an operation, or return the number that an equal one got before.

        effect -- it changes one of its operands
        listed -- it is part of the chain
        """
        name, given, named = _canonical(ALIASES.get(name, name), [*operands], {**(keywords or {})})
        effect = effect or name in IMPURE
        line = f"{name} {arguments_spelled(given, named)}"
        if not effect and line in self._known:
            return self._known[line]
        number = self.fresh()
        if effect:
            self.forget_values()
        self._known[line] = number
        self.lines.append(f"{number} {line}{' !' if effect else ''}")
        if listed:
            self._operations.append(name)
        return number


def _canonical(
    name: str, operands: list[Value], keywords: dict[str, Value]
) -> tuple[str, list[Value], dict[str, Value]]:
    """Return the canonical form of a call: arguments by keyword, operands in order."""
    if "input" in keywords:
        operands.insert(0, keywords.pop("input"))
    if name in KEYWORDS:
        keywords = {**dict(zip(KEYWORDS[name], operands[1:], strict=False)), **keywords}
        operands = [*operands[:1], *operands[1 + len(KEYWORDS[name]) :]]
    keywords = {
        key: value for key, value in keywords.items() if (key, spelled(value)) not in DEFAULTS
    }
    if (name == "pow" and operands[1:] == ["=2.0"]) or (
        name == "mul" and operands[1:] == operands[:1]
    ):
        name, operands = "square", operands[:1]
    if name in COMMUTATIVE:
        operands.sort(key=spelled)
    return name, operands, keywords
