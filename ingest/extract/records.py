"""Values that extraction returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["entry", "helper"]
Language = Literal["triton", "gluon", "pallas"]
Container = Literal[
    "module", "function", "class", "condition", "string", "markdown", "template", "notebook"
]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    annotation: str | None
    default: str | None
    constexpr: bool


@dataclass(frozen=True, slots=True)
class Launcher:
    """A host function or autograd Function class that launches a kernel."""

    path: str
    qualname: str
    start_line: int
    end_line: int
    source: str


@dataclass(frozen=True, slots=True)
class ExtractedKernel:
    """A kernel in a file. `source` consists of its exact lines, from the first decorator on.

    In a notebook, `cell` is the number of the code cell, and lines are counted from its start.
    """

    path: str
    qualname: str
    name: str
    start_line: int
    end_line: int
    kind: Kind
    language: Language
    container: Container
    source: str
    sha256: str
    parameters: tuple[Parameter, ...]
    launchers: tuple[Launcher, ...] = ()
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or kernel that was left out. `code` is for statistics, `message` for a person."""

    path: str
    line: int | None
    code: str
    message: str


class TookTooLong(Exception):
    """The processor time for a kernel or a file is used up."""


@dataclass(frozen=True, slots=True)
class StandaloneUnit:
    """A kernel as one module, together with all code that it needs.

    `reasons` is empty if it is standalone. Otherwise it explains why it is not.
    """

    source: str
    standalone: bool
    reasons: tuple[str, ...] = ()
    drawn_from: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Changes to the code, such as a dropped decorator or a renamed definition."""
    launcher_source: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """One kernel and its standalone unit."""

    kernel: ExtractedKernel
    unit: StandaloneUnit
