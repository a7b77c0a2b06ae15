"""Description of an operator library's idioms, so that its tests and code can be read.

Such a library hides its launchers: a context manager redirects torch to them, decorators write
kernels at run time, and helpers inspect the machine. An adapter says what these idioms mean.
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
    """An operator library in one repository. `root` is the folder of the library's package."""

    tree: SourceTree
    root: str

    def text(self, path: str) -> str:
        """Return the text of a file in the package, or "" if there is no such file."""
        data = self.tree.read(f"{self.root}/{path}")
        return data.decode("utf-8", "replace") if data is not None else ""

    def module(self, path: str) -> ast.Module:
        """Return the syntax tree of a file in the package, empty if it can't be parsed."""
        try:
            return ast.parse(self.text(path))
        except UNREADABLE:
            return ast.Module([], [])

    def files(self, folder: str) -> list[str]:
        """Return the Python files in a folder of the package, as paths relative to the package."""
        inner = f"{self.root}/{folder}/"
        return sorted(
            path.removeprefix(f"{self.root}/")
            for path in self.tree.paths()
            if path.startswith(inner) and path.endswith(".py") and "/" not in path[len(inner) :]
        )


@dataclass(frozen=True, slots=True)
class RegisteredLauncher:
    """A launcher that a library registers to replace an operation of torch."""

    operation: str
    """The operation's name in torch without the overload, such as `add`."""
    overload: str
    """Name of the overload, such as `Tensor` for `add.Tensor`, or ""."""
    path: str
    """The dotted path by which a test can call the launcher, such as `flag_gems.ops.add`."""
    arguments: ast.arguments
    result: str = ""
    """Index into the launcher's result, such as `[0]`, if it returns more values than torch."""
    call: str = ""
    """The call as a format of the arguments' names, or "" if it is called like torch's operation.
    The format `{dim:list}` puts a single number into a list.
    """


@dataclass(frozen=True, slots=True)
class Written:
    """Code that replaces a decorator. It is inserted after the decorated function."""

    code: str
    renamed: str
    """The new name of the decorated function. The inserted code takes its old name."""
    kernel: str
    """The name of the kernel in the inserted code."""


DecoratorWriter = Callable[[ast.FunctionDef, ast.expr, ast.Module, Library], Written | None]
"""Function that returns the code for a decorated function, or None to change nothing. Arguments:
the function, the decorator, the file and the library.
"""

CallWriter = Callable[[ast.Call, "ast.FunctionDef | None"], str | None]
"""Function that returns the expression to replace a call, or None to keep the call. Arguments: the
call, and the function that contains it.
"""


def no_launchers(library: Library) -> list[RegisteredLauncher]:
    return []


def no_overlays(library: Library) -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Adapter:
    """The idioms of one library. Names are written as in its files, such as `runtime.device`."""

    package: str
    """Name of the package. The adapter applies to repositories that have it."""
    contexts: frozenset[str] = frozenset()
    """Context managers in which torch's operations run the library's launchers."""
    launchers: Callable[[Library], list[RegisteredLauncher]] = no_launchers
    """Function that returns the launchers that those context managers register."""
    unwrapped: frozenset[str] = frozenset()
    """Other context managers without effect in a pair. Their block is kept without them."""
    dropped: frozenset[str] = frozenset()
    """Decorators that are removed, because a pair does not need them."""
    written: Mapping[str, DecoratorWriter] = field(default_factory=dict)
    """Decorators that write code at run time, each with a function that returns the code."""
    constants: Mapping[str, object] = field(default_factory=dict)
    """Values of expressions that decide a branch: the vendor, a test's option, or a condition."""
    calls: Mapping[str, CallWriter] = field(default_factory=dict)
    """Calls to replace, by name. `*.method` stands for the method of any object."""
    expressions: Mapping[str, str] = field(default_factory=dict)
    """Attributes to replace, each with its replacement."""
    skipped: tuple[str, ...] = ()
    """Parts of paths of files to leave unchanged: copies of the library for other vendors."""
    data: tuple[str, ...] = ()
    """Globs of the files that the adapter reads in addition to Python files."""
    overlays: Callable[[Library], Mapping[str, str]] = no_overlays
    """Definitions to append to a file, by the end of its path. They override earlier ones."""


def read_stand_in(path: str) -> str:
    """Return the text of the stand-in at `path` in `ingest/drafting/templates/stand_ins`."""
    return (STAND_INS / path).read_text()
