"""Values that are read from a debug folder."""

from dataclasses import dataclass, field

from ingest.inductor.graph import Graph


@dataclass(frozen=True, slots=True)
class Origins:
    """Origin of a kernel in the traced program, by Inductor's comment above it.

    `nodes` are the program's operations in order, `aten` their ATen operators, `mapping` leads
    from the one to the other, and `fragment` is that part of the graph. `user_path` is set
    instead for a kernel that a person wrote.
    """

    nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    mapping: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fragment: str = ""
    user_path: str = ""


@dataclass(frozen=True, slots=True)
class InductorKernel:
    """One generated kernel. `line` is the start of its source in the file at `path`.

    `name` is unique in its file only: other files have it with another body.
    """

    model: str
    trace: str
    path: str
    line: int
    name: str
    source: str
    origins: Origins = field(default_factory=Origins)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file, or a part of one, that could not be read, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trace:
    """One compiled graph: its kernels, and the graph that they came from if it was kept."""

    model: str
    name: str
    path: str
    kernels: tuple[InductorKernel, ...]
    graph: Graph | None = None
    problems: tuple[Unread, ...] = ()
