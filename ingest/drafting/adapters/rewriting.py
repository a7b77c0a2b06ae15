"""Rewriting of a library's files by its adapter, before drafting reads them.

The number of lines stays, except for code that is inserted after a decorated function: its lines
are counted. All other added definitions are at the end of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from curation.source.functions import dotted_name
from curation.source.text import UNREADABLE, Edits
from ingest.drafting.adapters.adapter import Adapter, Library
from ingest.drafting.adapters.blocks import fold, truth, unwrap, word_of
from ingest.drafting.adapters.launchers import Launchers
from ingest.drafting.outcomes import LaunchedKernel
from ingest.extract.source_tree import SourceTree

IMPORTS = {
    "torch": "import torch", "triton": "import triton", "tl": "import triton.language as tl",
}  # fmt: skip
"""Import statements that inserted code may need, by name."""
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert)


def find_libraries(tree: SourceTree, adapters: Iterable[Adapter]) -> list[Rewriter]:
    """Return a rewriter for each adapter whose library is in the tree."""
    paths = sorted(tree.paths(), key=lambda path: (path.count("/"), path))
    rewriters: list[Rewriter] = []
    for adapter in adapters:
        end = f"{adapter.package.replace('.', '/')}/__init__.py"
        root = next((path for path in paths if f"/{path}".endswith(f"/{end}")), None)
        if root is not None:
            rewriters.append(Rewriter(adapter, Library(tree, root.removesuffix("/__init__.py"))))
    return rewriters


class Rewriter:
    """Applies one adapter to the files of one repository."""

    def __init__(self, adapter: Adapter, library: Library) -> None:
        self._adapter = adapter
        self._library = library
        self._launchers = Launchers(adapter.launchers(library))
        self._overlays = adapter.overlays(library)
        there = set(library.tree.paths())
        above = library.root.removesuffix(adapter.package.replace(".", "/"))
        self.added_files = {
            f"{above}{end}": b""
            for end in self._overlays
            if end.startswith(f"{adapter.package}/") and f"{above}{end}" not in there
        }
        """Files that exist only because of the adapter. They are empty at first."""
        self._origins: dict[tuple[str, str], LaunchedKernel] = {}
        """The original place of each kernel in inserted code, by path and name."""
        self._inserted: dict[str, list[tuple[int, int]]] = {}
        """By path, the lines after which code was inserted, and the number of new lines."""
        self._names = {
            word_of(name)
            for name in (*adapter.contexts, *adapter.unwrapped, *adapter.dropped,
                         *adapter.written, *adapter.constants, *adapter.calls,
                         *adapter.expressions)
        }  # fmt: skip

    def rewrite(self, path: str, data: bytes) -> bytes:
        """Return a file after the adapter's changes, or unchanged if it can't be parsed."""
        if any(part in f"/{path}" for part in self._adapter.skipped):
            return data
        try:
            text = data.decode()
            if any(name in text for name in self._names):
                text = self._rewritten(path, text)
        except UNREADABLE:
            return data
        added = [
            overlay for end, overlay in self._overlays.items() if f"/{path}".endswith(f"/{end}")
        ]
        return "\n\n\n".join([text, *added]).encode()

    def _rewritten(self, path: str, text: str) -> str:
        text = fold(text, self._adapter.constants)
        text, _ = unwrap(text, self._adapter.unwrapped)
        text, ranges = unwrap(text, self._adapter.contexts)
        if ranges:
            text = self._launchers.write(text, ranges)
        # An expression inside a replaced expression is replaced in the next round.
        for _ in range(3):
            changed = self._expressions(text)
            if changed == text:
                break
            text = changed
        return self._decorators(path, text)

    def _expressions(self, text: str) -> str:
        tree = ast.parse(text)
        edits = Edits(text)
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=bound)):
                    # `X = [] if QUICK else X` became `X = X`.
                    if name == bound:
                        edits.put(statement, "")
        around = {
            id(inner): node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            for inner in ast.walk(node)
        }
        replacements = _Replacements(tree, edits)
        # `walk` yields outer expressions before inner ones.
        for node in ast.walk(tree):
            if isinstance(node, ast.expr):
                written = self._replacement(node, around.get(id(node)), edits)
                if written is not None:
                    replacements.put(node, written)
        return edits.text()

    def _replacement(
        self, node: ast.expr, function: ast.FunctionDef | None, edits: Edits
    ) -> str | None:
        """Return the expression that replaces a node, or None to keep the node."""
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                value = truth(test, self._adapter.constants)
                return None if value is None else edits.of(body if value else orelse)
            case ast.Attribute(ctx=ast.Load()):
                return self._adapter.expressions.get(".".join(dotted_name(node) or ()))
            case ast.Call(func=func):
                writer = self._adapter.calls.get(".".join(dotted_name(func) or ()))
                if writer is None and isinstance(func, ast.Attribute):
                    writer = self._adapter.calls.get(f"*.{func.attr}")
                return writer(node, function) if writer else None
        return None

    def place(self, kernel: LaunchedKernel) -> LaunchedKernel:
        """Return a kernel's place in the author's file, or that of the decorated function."""
        origin = self._origins.get((kernel.path, kernel.qualname))
        return origin or replace(kernel, start_line=self.line(kernel.path, kernel.start_line))

    def line(self, path: str, line: int) -> int:
        """Return the author's number of a line. An inserted line has that of the line before."""
        added = 0
        for after, count in self._inserted.get(path, ()):
            if line <= after + added:
                break
            added += min(count, line - after - added)
        return line - added

    def _decorators(self, path: str, text: str) -> str:
        tree = ast.parse(text)
        edits = Edits(text)
        inserted: list[tuple[int, int]] = []
        for method in _methods(tree):
            for decorator in method.decorator_list:
                if {_name_of(decorator), ast.unparse(decorator)} & self._adapter.dropped:
                    _drop(decorator, edits)
        for function in tree.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            for decorator in function.decorator_list:
                name = _name_of(decorator)
                if {name, ast.unparse(decorator)} & self._adapter.dropped:
                    _drop(decorator, edits)
                elif name in self._adapter.written:
                    writer = self._adapter.written[name]
                    written = writer(function, decorator, tree, self._library)
                    if written is not None:
                        _drop(decorator, edits)
                        _rename(function, written.renamed, edits)
                        code = _with_imports(written.code, tree)
                        edits.replace(edits.end(function), edits.end(function), code)
                        inserted.append((function.end_lineno or 0, code.count("\n")))
                        first = min(one.lineno for one in function.decorator_list)
                        origin = LaunchedKernel(path, function.name, first)
                        self._origins[path, written.kernel] = origin
        self._inserted[path] = inserted
        return edits.text()


def _with_imports(code: str, tree: ast.Module) -> str:
    """Return code to insert after a function, with the imports that the file lacks."""
    known = {alias.asname or alias.name for node in tree.body for alias in _aliases(node)}
    imports = [line for name, line in IMPORTS.items() if name not in known]
    return "\n\n\n" + "\n".join([*imports, code.rstrip("\n")])


def _aliases(node: ast.stmt) -> list[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else []


def _methods(tree: ast.Module) -> list[ast.FunctionDef]:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return [node for each in classes for node in each.body if isinstance(node, ast.FunctionDef)]


def _name_of(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ".".join(dotted_name(called) or ())


def _drop(decorator: ast.expr, edits: Edits) -> None:
    lines = edits.of(decorator).count("\n")
    edits.replace(edits.start(decorator) - 1, edits.end(decorator), "\n" * lines)


def _rename(function: ast.FunctionDef, name: str, edits: Edits) -> None:
    start = edits.start(function) + len("def ")
    edits.replace(start, start + len(function.name.encode()), name)


class _Replacements:
    """Replacements of expressions. Lines that an expression loses are added after its statement."""

    def __init__(self, tree: ast.Module, edits: Edits) -> None:
        self._edits = edits
        self._ranges: list[tuple[int, int]] = []
        self._ends = {
            id(inner): edits.end(node)
            for node in ast.walk(tree)
            if isinstance(node, SIMPLE)
            for inner in ast.walk(node)
        }

    def put(self, node: ast.expr, written: str) -> None:
        start, end = self._edits.start(node), self._edits.end(node)
        if any(first <= start < last for first, last in self._ranges):
            return
        self._ranges.append((start, end))
        lines = "\n" * ((node.end_lineno or node.lineno) - node.lineno - written.count("\n"))
        place = self._ends.get(id(node))
        if place is None and lines:
            written = f"({written}{lines})"
        elif place is not None:
            self._edits.replace(place, place, lines)
        self._edits.put(node, written)
