"""Python modules of a tree, and the selection of files that are worth parsing.

A module is located by import, parsed on first use, and evicted above a memory bound.
"""

from __future__ import annotations

import posixpath
from collections import OrderedDict, defaultdict

from ingest.extract.decoding import Decoded, decode
from ingest.extract.module import Module
from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.notebooks import NotebookError, read_notebook
from ingest.extract.outline import module_scope
from ingest.extract.records import Problem, TookTooLong
from ingest.extract.recovery import first_error, recovered
from ingest.extract.scopes import Nesting
from ingest.extract.source_tree import SourceTree
from ingest.extract.syntax import ParseTimeout, Source, parse

SOURCES = (".py", NOTEBOOK)
"""File types that are parsed as one Python module."""
MARKDOWN = (".md", ".markdown", ".mdx")
FILE_LIMIT = 2_000_000
"""Maximum bytes of a file. Larger files are not parsed."""
TEMPLATES = (".jinja", ".jinja2", ".j2", ".tmpl", ".template", ".py.in")

HELD_BYTES = 24_000_000
"""Maximum total source bytes of the trees in memory. A tree takes about ten times its source."""

IMPORT_ROOTS = frozenset({"src", "python", "lib", "torch-ext"})
"""Folders that are on the import path by convention, also for files outside these folders."""

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


class Repository:
    """Files of a tree, their parsed modules, and the lookup of the file that an import reads."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self.paths = tuple(sorted(set(tree.paths())))
        self._sources = frozenset(path for path in self.paths if path.endswith(SOURCES))
        # Notebooks are sources but are no modules, so they can't be imported.
        self._python = frozenset(path for path in self._sources if path.endswith(".py"))
        self._held: OrderedDict[str, Module] = OrderedDict()
        self._held_bytes = 0
        self.most_held_bytes = HELD_BYTES
        self._unreadable: dict[str, Problem | None] = {}
        self._by_tail: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._python):
            self._by_tail[_tail(path)].append(path)
        self._projects = frozenset(
            posixpath.dirname(path)
            for path in self.paths
            if posixpath.basename(path) in PROJECT_FILES
        )

    def read(self, path: str) -> bytes | None:
        return self._tree.read(path)

    def module(self, path: str) -> Module | None:
        """Return the module at this path, or None if it is absent or unreadable."""
        if path in self._held:
            self._held.move_to_end(path)
            return self._held[path]
        if path not in self._sources or path in self._unreadable:
            return None
        data = self._tree.read(path)
        problem = unfit(path, data)
        if data is None or problem is not None:
            self._unreadable[path] = problem
            return None
        cells: tuple[int, ...] = ()
        try:
            if path.endswith(NOTEBOOK):
                notebook = read_notebook(data)
                decoded, cells = Decoded(notebook.code), notebook.cells
            else:
                decoded = decode(data)
            source = parse(path, decoded.text)
            module = self._hold(recovered(source))
            module.broken_line = first_error(source)
        except NotebookError as error:
            self._unreadable[path] = Problem(path, None, "notebook", str(error))
            return None
        except ParseTimeout as error:
            self._unreadable[path] = Problem(path, None, "too-slow", str(error))
            return None
        except TookTooLong as error:
            # The next file with this import must not wait for it again.
            self._unreadable[path] = Problem(path, None, "too-slow", str(error))
            raise
        module.note, module.cells = decoded.note, cells
        return module

    def hold(self, path: str, text: str) -> Module:
        """Parse a text as if it were the file at `path`. Raises ParseTimeout."""
        return self._hold(recovered(parse(path, text)))

    def problem(self, path: str) -> Problem:
        """Return the reason why an existing file has no module."""
        return self._unreadable.get(path) or Problem(
            path, None, "unreadable", "The file could not be read."
        )

    def _hold(self, source: Source) -> Module:
        module = Module(
            source,
            self.package_of(source.path),
            module_scope(source),
            Nesting(source.tree.root_node),
        )
        self._held[source.path] = module
        self._held_bytes += len(source.data)
        while self._held_bytes > self.most_held_bytes and len(self._held) > 1:
            self._forget_oldest()
        return module

    def forget(self) -> None:
        """Evict every module."""
        while self._held:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        _, forgotten = self._held.popitem(last=False)
        self._held_bytes -= len(forgotten.source.data)
        # Kernels and their module refer to each other. Without this, the tree would be freed late.
        forgotten.kernels = None

    def package_of(self, path: str) -> str:
        """Return the dotted package of a file, from the `__init__.py` files in its folders."""
        folder = posixpath.dirname(path)
        parts: list[str] = []
        while folder and f"{folder}/__init__.py" in self._python:
            folder, name = posixpath.split(folder)
            parts.append(name)
        return ".".join(reversed(parts))

    def locate(self, importer: str, module: str, level: int) -> str | None:
        """Return the file that an import in `importer` with `level` dots reads, or None."""
        tail = module.replace(".", "/")
        if level:
            folder = posixpath.dirname(importer)
            for _ in range(level - 1):
                if not folder:
                    return None
                folder = posixpath.dirname(folder)
            return self._at(posixpath.join(folder, tail) if tail else folder)
        return self._absolute(importer, tail) if tail else None

    def module_file(self, folder: str, name: str) -> str | None:
        """Return the file of the module or package `name` in a folder, or None."""
        return self._at(f"{folder}/{name}" if folder else name)

    def _at(self, stem: str) -> str | None:
        for path in (f"{stem}/__init__.py" if stem else "__init__.py", f"{stem}.py"):
            if path in self._python:
                return path
        return None

    def _absolute(self, importer: str, tail: str) -> str | None:
        candidates: list[str] = []
        for path in self._by_tail[tail.rpartition("/")[2]]:
            stem = path.removesuffix("/__init__.py").removesuffix(".py")
            if stem != tail and not stem.endswith("/" + tail):
                continue
            root = stem[: len(stem) - len(tail)].rstrip("/")
            if self._is_import_root(root, importer):
                candidates.append(path)
        if len(candidates) > 1:
            candidates.sort(
                key=lambda path: (-len(posixpath.commonprefix([path, importer])), len(path), path)
            )
        return candidates[0] if candidates else None

    def _is_import_root(self, root: str, importer: str) -> bool:
        if f"{root}/__init__.py" in self._python and posixpath.dirname(importer) != root:
            return False
        return (
            not root
            or importer.startswith(root + "/")
            or posixpath.basename(root) in IMPORT_ROOTS
            or root in self._projects
        )


def _tail(path: str) -> str:
    stem = path.removesuffix("/__init__.py").removesuffix(".py")
    return stem.rpartition("/")[2]


def is_candidate(path: str, data: bytes) -> bool:
    """Return whether a file can hold a kernel."""
    if b"pallas_call" in data and path.endswith(SOURCES):
        return True
    if b"jit" not in data:
        return False
    # Files of Triton itself may import `from ..runtime.jit import jit` without the word "triton".
    return b"triton" in data or b"gluon" in data or "triton" in posixpath.dirname(path)


def has_known_suffix(path: str) -> bool:
    return path.endswith((*SOURCES, *MARKDOWN, *TEMPLATES))


def unfit(path: str, data: bytes | None) -> Problem | None:
    """Return the reason why a file can't be parsed, or None."""
    if data is None:
        return Problem(path, None, "unreadable", "The file could not be read.")
    if len(data) > FILE_LIMIT:
        message = f"The file has {len(data):,} bytes; files beyond {FILE_LIMIT:,} are not parsed."
        return Problem(path, None, "too-large", message)
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return Problem(path, line, "null-byte", "The file holds a null byte, so it is no source.")
    return None
