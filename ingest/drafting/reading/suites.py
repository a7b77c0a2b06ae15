"""Test files as syntax trees, and the meaning of the names at the files' top level."""

from __future__ import annotations

import ast
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from curation.source.text import UNREADABLE
from ingest.drafting.reading.parameter_values import Evaluator, NamedValue
from ingest.extract.decoding import decode
from ingest.extract.module import Module
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import text_of
from ingest.extract.targets import Local, Target

COMPARES = re.compile(rb"close|equal|abs\(|err|diff|snr", re.I)
"""Names of functions that compare or that measure errors."""

TESTS = re.compile(
    rb"^\s*def (test|check)|^if __name__|^\s*(assert|if|print).*(close|equal)\(|max\(torch\.abs\(",
    re.M,
)
"""A test function, or a comparison in a script."""


# Maximum trees in memory. A tree takes about twenty times the memory of its text.
MOST_TREES = 30


@dataclass(eq=False)
class SuiteFile:
    """A test file, parsed by the extraction and by Python's parser."""

    module: Module
    text: str
    tree: ast.Module
    resolver: Resolver = field(repr=False)
    repository: Repository = field(repr=False)
    others: Suites | None = field(default=None, repr=False)
    """Parsed files for lookups. If None, trees may change, and each lookup parses its file."""

    @property
    def path(self) -> str:
        return self.module.path

    def meaning(self, parts: tuple[str, ...]) -> Target:
        """Return the meaning of a dotted name at the file's top level."""
        return self.resolver.reference(self.module, (self.module.scope,), parts, {}).target

    def source_of(self, local: Local) -> list[str]:
        """Return the sources of the definitions of a name in the repository."""
        return [text_of(b.leaf.node) for b in self.resolver.bindings(local, {})]

    def evaluator(self) -> Evaluator:
        return Evaluator(self.binding)

    def lookup(self, name: str) -> ast.expr | ast.FunctionDef | None:
        """Return the expression or function that a name is bound to, or None."""
        bound = self.binding(name)
        return bound.node if bound is not None else None

    def binding(self, name: str) -> NamedValue | None:
        """Return the value of a name from this file, or from the file that it is imported from, or
        None.
        """
        found = _top_level(self.tree, name)
        if found is not None:
            return NamedValue(found, self.binding)
        if "." in name:
            return None
        target = self.meaning((name,))
        if isinstance(target, Local) and target.path != self.path:
            other = self._other(target.path)
            return other.binding(target.name) if other is not None else None
        return None

    def _other(self, path: str) -> SuiteFile | None:
        if self.others is not None:
            return self.others.at(self, path)
        other = suite_at(self.repository, self.resolver, path)
        return other if isinstance(other, SuiteFile) else None


def find_suites(repository: Repository, resolver: Resolver) -> Iterator[SuiteFile | str]:
    """Yield every test file, or its path if Python can't parse it. Files that are tests by name
    come before other files that contain a test.
    """
    for path in sorted(repository.paths, key=lambda path: not is_test_path(path)):
        if not path.endswith(".py"):
            continue
        data = repository.read(path)
        if data is None or not (is_test_path(path) or TESTS.search(data)):
            continue
        if COMPARES.search(data):
            found = suite_at(repository, resolver, path)
            if found is not None:
                yield found


def suite_at(repository: Repository, resolver: Resolver, path: str) -> SuiteFile | str | None:
    module = repository.module(path)
    if module is None:
        return None
    text = _text(repository, module)
    try:
        tree = ast.parse(text)
    except UNREADABLE:
        return path
    return SuiteFile(module, text, tree, resolver, repository)


def _text(repository: Repository, module: Module) -> str:
    data = repository.read(module.path)
    return decode(data).text if data is not None else text_of(module.source.tree.root_node)


@dataclass
class Suites:
    """The files in which launchers are looked up, as syntax trees. Callers must not change the
    trees, as each is parsed once: 187 of Megatron-LM's first 420 s went into parsing (2026-11-27).
    """

    _trees: OrderedDict[str, ast.Module | None] = field(default_factory=OrderedDict)

    def at(self, suite: SuiteFile, path: str) -> SuiteFile | None:
        """Return the file at a path of the suite's repository, or None if Python can't parse it."""
        module = suite.repository.module(path)
        if module is None:
            return None
        text = _text(suite.repository, module)
        if path in self._trees:
            self._trees.move_to_end(path)
        else:
            try:
                self._trees[path] = ast.parse(text)
            except UNREADABLE:
                self._trees[path] = None
            if len(self._trees) > MOST_TREES:
                self._trees.popitem(last=False)
        tree = self._trees[path]
        if tree is None:
            return None
        return SuiteFile(module, text, tree, suite.resolver, suite.repository, self)


def is_test_path(path: str) -> bool:
    """Return whether a file is a test or a benchmark, judged by its path."""
    pure = PurePosixPath(path)
    if pure.stem.startswith(("test_", "bench")) or pure.stem.endswith(("_test", "_tests")):
        return True
    around = {part.lower() for part in pure.parts[:-1]}
    return bool(
        around & {"test", "tests", "testing", "op_tests", "benchmark", "benchmarks", "unit_tests"}
    )


def find_calls(suite: SuiteFile, name: str) -> list[ast.Call]:
    """Return the calls of a function at the file's top level, outside of functions and classes. If
    there are none, return those in comments.
    """
    calls: list[ast.Call] = []
    pending: list[ast.AST] = list(suite.tree.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            calls.append(node)
        pending.extend(ast.iter_child_nodes(node))
    return calls or list(_calls_in_comments(suite, name))


def _calls_in_comments(suite: SuiteFile, name: str) -> Iterator[ast.Call]:
    for written in re.findall(rf"^\s*# *({re.escape(name)}\(.*\))\s*$", suite.text, re.M):
        try:
            node = ast.parse(written, mode="eval").body
        except UNREADABLE:
            continue
        if isinstance(node, ast.Call):
            yield node


def find_effect_calls(suite: SuiteFile) -> frozenset[str]:
    """Return the names of the functions that are called somewhere without using the result."""
    return frozenset(
        ast.unparse(node.value.func)
        for node in ast.walk(suite.tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )


def _top_level(tree: ast.Module, name: str) -> ast.expr | ast.FunctionDef | None:
    definition: ast.expr | ast.FunctionDef | None = None
    pending = list(tree.body)
    while pending:
        node = pending.pop(0)
        match node:
            case ast.FunctionDef() if node.name == name:
                definition = node
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                definition = value
            case ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value) if (
                bound == name
            ):
                definition = value
            case ast.If(body=body, orelse=orelse):
                pending = [*body, *orelse, *pending]
    return definition
