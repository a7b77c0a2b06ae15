"""Number the operations of a function, each once, in canonical spelling."""

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
"""Operations. No reference comes near; a generated text could go on without end."""


class Numbering:
    def __init__(self) -> None:
        self.lines: list[str] = []
        """All that the function does, free of names."""
        self._operations: list[str] = []
        self._known: dict[str, str] = {}
        self._count = 0

    def chain(self) -> tuple[str, ...]:
        """Return the names of what computes; of everything where nothing does."""
        computing = tuple(name for name in self._operations if name not in VIEWS)
        return computing or tuple(self._operations)

    def begin_chain(self) -> None:
        """Forget the chain so far: it was about making weights."""
        self._operations.clear()

    def forget_values(self) -> None:
        """Number everything anew from here on: a tensor may have another name and change."""
        self._known.clear()

    def note(self, kind: str, *values: Value) -> None:
        """Add a line about the flow of control."""
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
        """Number an operation, or return the number that the same one got before.

        effect -- it changes one of its operands
        listed -- it belongs into the chain
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
    name: str, given: list[Value], named: dict[str, Value]
) -> tuple[str, list[Value], dict[str, Value]]:
    """Spell the same call in one way: arguments by keyword, operands in order."""
    if "input" in named:
        given.insert(0, named.pop("input"))
    if name in KEYWORDS:
        named = {**dict(zip(KEYWORDS[name], given[1:], strict=False)), **named}
        given = [*given[:1], *given[1 + len(KEYWORDS[name]) :]]
    named = {key: value for key, value in named.items() if (key, spelled(value)) not in DEFAULTS}
    if (name == "pow" and given[1:] == ["=2.0"]) or (name == "mul" and given[1:] == given[:1]):
        name, given = "square", given[:1]
    if name in COMMUTATIVE:
        given.sort(key=spelled)
    return name, given, named
