"""What is read from a debug folder, as values."""

from dataclasses import dataclass, field

from ingest.inductor.graph import Graph


@dataclass(frozen=True, slots=True)
class Origins:
    """Where a kernel comes from in the traced program, by Inductor's comment above it.

    `nodes` are the program's operations in order, `aten` the ATen operators they became,
    `mapping` leads from the one to the other, and `fragment` is that part of the graph.
    `user_path` is set instead for a kernel that a person wrote and Inductor only launches.
    """

    nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    mapping: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fragment: str = ""
    user_path: str = ""


@dataclass(frozen=True, slots=True)
class InductorKernel:
    """One generated kernel. `line` is where its source begins in the file at `path`.

    `name` is unique in its file only: the same name recurs elsewhere with another body.
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
    """A file, or a part of one, that gave nothing, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trace:
    """One compiled graph: its kernels, and the graph they came from where it was kept."""

    model: str
    name: str
    path: str
    kernels: tuple[InductorKernel, ...]
    graph: Graph | None = None
    problems: tuple[Unread, ...] = ()
