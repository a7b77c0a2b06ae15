"""Description of an operator library: how its tests and its code are to be read.

A library of operators hides its launchers: a context manager redirects torch to them, decorators
write kernels at run time, and helpers ask the machine. An adapter says what these idioms mean.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from curation.source.text import UNREADABLE
from ingest.extract.source_tree import SourceTree

STAND_INS = Path(__file__).resolve().parents[1] / "templates" / "stand_ins"


@dataclass(frozen=True, slots=True)
class Library:
    """The library in one repository. `root` is the folder of its package."""

    tree: SourceTree
    root: str

    def text(self, path: str) -> str:
        """Return a file of the package, or an empty text."""
        data = self.tree.read(f"{self.root}/{path}")
        return data.decode("utf-8", "replace") if data is not None else ""

    def module(self, path: str) -> ast.Module:
        """Return a file of the package as a syntax tree, which is empty if it can't be parsed."""
        try:
            return ast.parse(self.text(path))
        except UNREADABLE:
            return ast.Module([], [])

    def files(self, folder: str) -> list[str]:
        """Return the Python files of a folder of the package, relative to the package."""
        inner = f"{self.root}/{folder}/"
        return sorted(
            path.removeprefix(f"{self.root}/")
            for path in self.tree.paths()
            if path.startswith(inner) and path.endswith(".py") and "/" not in path[len(inner) :]
        )


@dataclass(frozen=True, slots=True)
class RegisteredLauncher:
    """A launcher that a library registers for an operation of torch."""

    operation: str
    """The name in torch without its overload: `add`."""
    overload: str
    """`Tensor` of `add.Tensor`, or an empty text."""
    path: str
    """The dotted path at which a test reaches it: `flag_gems.ops.add`."""
    arguments: ast.arguments
    result: str = ""
    """Index into the launcher's answer, such as `[0]`, if it returns more values than torch."""
    call: str = ""
    """The call as a format of the arguments' names, where it is not the same as torch's. The format
    `{dim:list}` puts a single number into a list.
    """


@dataclass(frozen=True, slots=True)
class Written:
    """The code that a decorator stands for. It is inserted behind the decorated function."""

    code: str
    renamed: str
    """The new name of the decorated function, whose own name the code takes."""
    kernel: str
    """The name of the kernel in the code."""


DecoratorWriter = Callable[[ast.FunctionDef, ast.expr, ast.Module, Library], Written | None]
"""Write down a decorated function, or return None to leave it. Arguments: the function, the
decorator, the file and the library.
"""

CallWriter = Callable[[ast.Call, "ast.FunctionDef | None"], str | None]
"""Return the expression that replaces a call, or None to leave it. Arguments: the call, and the
function that it stands in.
"""


def no_launchers(library: Library) -> list[RegisteredLauncher]:
    return []


def no_overlays(library: Library) -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Adapter:
    """The idioms of one library. Names are written as its files write them: `runtime.device`."""

    package: str
    """The adapter applies to a repository that has this package."""
    contexts: frozenset[str] = frozenset()
    """Context managers inside of which torch runs the library's launchers."""
    launchers: Callable[[Library], list[RegisteredLauncher]] = no_launchers
    """The launchers that those contexts register."""
    unwrapped: frozenset[str] = frozenset()
    """Other context managers that mean nothing in a pair: their block runs without them."""
    dropped: frozenset[str] = frozenset()
    """Decorators that a pair does not need."""
    written: Mapping[str, DecoratorWriter] = field(default_factory=dict)
    """Decorators that write code, with the function that writes it down."""
    constants: Mapping[str, object] = field(default_factory=dict)
    """Values that decide a branch: the vendor, a test's options, a whole condition."""
    calls: Mapping[str, CallWriter] = field(default_factory=dict)
    """Calls that are replaced, by name. `*.method` stands for any object's method."""
    expressions: Mapping[str, str] = field(default_factory=dict)
    """Attributes that are replaced."""
    skipped: tuple[str, ...] = ()
    """Parts of paths whose files stay as they are: copies of the library for other vendors."""
    data: tuple[str, ...] = ()
    """Globs of files beside Python that the adapter reads."""
    overlays: Callable[[Library], Mapping[str, str]] = no_overlays
    """Definitions that are appended to a file, by the end of its path. The last one counts."""


def read_stand_in(path: str) -> str:
    """Return the text of a stand-in by its path below `ingest/drafting/templates/stand_ins`."""
    return (STAND_INS / path).read_text()
