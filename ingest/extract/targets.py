"""Meanings of names, as values that the outline, the resolver and the renderer share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class External(NamedTuple):
    """An import that the unit keeps: `import module`, or `from module import attribute`.

    It is a NamedTuple, because a key is created and hashed for every use of a name.
    """

    module: str
    attribute: str | None
    binds_root: bool = False

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.attribute}" if self.attribute else self.module


@dataclass(frozen=True, slots=True)
class Foreign:
    """An import from a package that is not in the repository and that the unit may not import."""

    module: str


class Local(NamedTuple):
    """A definition in a scope of the repository. `scope` is -1 for the module itself."""

    path: str
    scope: int
    name: str


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the repository that is used as a value."""

    path: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the enclosing function."""

    function: str
    name: str


class Builtin(NamedTuple):
    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    name: str


Target = External | Foreign | Local | ModuleValue | Parameter | Builtin | Unknown


class Reference(NamedTuple):
    """A target, and the number of parts of a dotted name that were used to find it."""

    target: Target
    parts: int = 1


Key = External | Local | Builtin


class Use(NamedTuple):
    """A span of the text that refers to `key`, and the name that is written there."""

    start: int
    end: int
    key: Key
    spelled: str


@dataclass(eq=False, slots=True)
class Resolution:
    """Meanings of all names of a statement, and what the unit needs because of them.

    The result does not depend on the kernel, so it is cached with the statement for other kernels.
    """

    uses: list[Use] = field(default_factory=list)
    needs: dict[Local, None] = field(default_factory=dict)
    submodules: dict[str, None] = field(default_factory=dict)
    """Dotted modules that need an `import a.b` statement, because the text says `a.b.c`."""
    reasons: dict[str, None] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    dropped: tuple[tuple[int, int], ...] = ()
    """Spans of decorators that are left out."""
    tuned: bool = False
    """Whether decorators that only tune the kernel were kept."""
    _spellings: tuple[tuple[Key, str], ...] | None = None

    @property
    def spellings(self) -> tuple[tuple[Key, str], ...]:
        """Pairs of a key and its spelling, without repetitions, in the order of the text."""
        if self._spellings is None:
            self._spellings = tuple(dict.fromkeys((use.key, use.spelled) for use in self.uses))
        return self._spellings
