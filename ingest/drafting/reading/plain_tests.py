"""Conversion of tests to plain functions.

A test gets values from its class, its fixtures and its decorators. These are inlined: `setUp`,
methods of the class, fixtures of the file and of its `conftest.py`.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator
from pathlib import PurePosixPath

from curation.source.functions import loaded_names, signature, stored_names
from curation.source.text import UNREADABLE
from ingest.drafting.reading.fixtures import inline_fixtures, is_fixture
from ingest.drafting.reading.in_place import mark_calls
from ingest.drafting.reading.inlining import inline_helpers
from ingest.drafting.reading.reach import Reach
from ingest.drafting.reading.statements import find_free_names
from ingest.drafting.reading.suites import SuiteFile, find_effect_calls, suite_at


def read_tests(suite: SuiteFile, reach: Reach) -> Iterator[ast.FunctionDef]:
    """Yield each test of a file as a plain function, in which helpers are inlined."""
    mark_calls(suite, suite.tree, reach.suites)
    helpers = find_effect_calls(suite)
    script = script_test(suite.tree)
    for written in (*find_tests(suite), *([script] if script else [])):
        if not written.name.startswith("test") and written.name in helpers:
            # A fixture is inlined into the tests that request it.
            continue
        try:
            function = inline_helpers(written, suite.lookup)
            body = _drop_repeats(function.body)
            yield ast.FunctionDef(**{**vars(function), "body": body})
        except UNREADABLE:
            yield written


def _drop_repeats(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements with one turn of each loop that only repeats calls, as for timing."""
    kept: list[ast.stmt] = []
    for statement in body:
        match statement:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))):
                calls = all(isinstance(each, ast.Expr) for each in statement.body)
                if calls and not any(name in loaded_names(each) for each in statement.body):
                    texts = {ast.unparse(each) for each in kept}
                    kept += [each for each in statement.body if ast.unparse(each) not in texts]
                    continue
        kept.append(statement)
    return kept


SETUP = {"setUp", "setup_method", "setup", "setUpClass", "setup_class"}
KNOWN = frozenset(dir(builtins)) | {"torch", "pytest", "request"}
"""Names that have the same meaning in a `conftest.py` as in a test."""

Function = ast.FunctionDef


def find_tests(suite: SuiteFile) -> Iterator[Function]:
    """Yield functions at the top level and methods of classes, except fixtures and set-ups."""
    for node in suite.tree.body:
        if isinstance(node, Function) and not is_fixture(node):
            yield inline_fixtures(node, lambda name: _fixture(suite, name))
        elif isinstance(node, ast.ClassDef):
            methods = _TestClass(suite, node)
            yield from methods.tests()


def _fixture(suite: SuiteFile, name: str) -> Function | None:
    """Return the fixture with this name, or None. A fixture of a `conftest.py` is used only if it
    needs no other name of that file.
    """
    fixture = suite.lookup(name)
    if isinstance(fixture, Function) and is_fixture(fixture):
        return fixture
    folder = PurePosixPath(suite.path).parent
    for parent in (folder, *folder.parents):
        around = suite_at(suite.repository, suite.resolver, str(parent / "conftest.py"))
        if isinstance(around, SuiteFile) and around.path != suite.path:
            fixture = around.lookup(name)
            if isinstance(fixture, Function) and is_fixture(fixture):
                parameters = frozenset(each.arg for each in fixture.args.args)
                body = ast.If(ast.Constant(True), fixture.body, [])
                return fixture if find_free_names(body, parameters) <= KNOWN else None
    return None


class _TestClass:
    """The methods of one class, converted to functions."""

    def __init__(self, suite: SuiteFile, node: ast.ClassDef) -> None:
        self._suite = suite
        self._decorators = [each for each in node.decorator_list if _parametrizes(each)]
        self._methods = {each.name: each for each in node.body if isinstance(each, Function)}
        self._constants = [each for each in node.body if isinstance(each, ast.Assign)]
        self._setup = [
            statement
            for name, method in self._methods.items()
            if name in SETUP or _is_automatic(method)
            for statement in method.body
            if "super()" not in ast.unparse(statement) and not isinstance(statement, ast.Return)
        ]
        self._attributes = frozenset(
            inner.attr
            for statement in self._setup
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
            if ast.unparse(inner.value) in {"self", "cls"}
        ).union(*(stored_names(each) for each in self._constants))

    def tests(self) -> Iterator[Function]:
        for name, method in self._methods.items():
            if name not in SETUP and not is_fixture(method):
                yield self._plain(method)

    def _plain(self, method: Function) -> Function:
        function = ast.FunctionDef(**{**vars(method), "body": copy.deepcopy(method.body)})
        function.args = _without_self(method)
        function.decorator_list = [*method.decorator_list, *self._decorators]
        function = inline_fixtures(function, lambda name: _fixture(self._suite, name))
        local = frozenset(_names(function.args)).union(*map(stored_names, function.body))
        own = _OwnNames(self._attributes, self._methods.keys() - SETUP, local)
        body = [own.visit(statement) for statement in function.body]
        helpers = self._helpers(own)
        setup = [own.visit(copy.deepcopy(each)) for each in (*self._constants, *self._setup)]
        if own.attributes:
            helpers = [*setup, *helpers]
        function.body = [*helpers, *body]
        return ast.fix_missing_locations(function)

    def _helpers(self, own: _OwnNames) -> list[ast.stmt]:
        """Return the methods that were called on `self`, and those that these call."""
        written: dict[str, ast.stmt] = {}
        while missing := [name for name in own.methods if name not in written]:
            for name in missing:
                helper = copy.deepcopy(self._methods[name])
                helper.args = _without_self(self._methods[name])
                helper.decorator_list = []
                written[name] = own.visit(helper)
        return list(written.values())[::-1]


class _OwnNames(ast.NodeTransformer):
    """Replacement of `self.x` by a variable and of `self.helper` by a function. It records the
    replaced names. `local`: the names that the test itself binds.
    """

    def __init__(
        self, attributes: frozenset[str], methods: set[str], local: frozenset[str]
    ) -> None:
        self._known, self._methods, self._local = attributes, methods, local
        self.attributes: set[str] = set()
        self.methods: dict[str, None] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.value) not in {"self", "cls"}:
            return node
        if node.attr in self._known:
            self.attributes.add(node.attr)
            return ast.copy_location(ast.Name(self._named(node.attr), node.ctx), node)
        if node.attr in self._methods:
            self.methods[node.attr] = None
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Replace `self.assertTrue(x)` by `assert x`."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr="assertTrue"), args=[test, *_]
            ):
                return ast.copy_location(ast.Assert(test), node)
        return node

    def _named(self, attribute: str) -> str:
        return f"own_{attribute}" if attribute in self._local else attribute


def _is_automatic(method: Function) -> bool:
    """Return whether a method is a fixture that every test of the class gets automatically."""
    return any("autouse=True" in ast.unparse(each) for each in method.decorator_list)


def _parametrizes(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize")


def _without_self(method: Function) -> ast.arguments:
    arguments = copy.deepcopy(method.args)
    if arguments.args and arguments.args[0].arg in {"self", "cls"}:
        arguments.args = arguments.args[1:]
    return arguments


def _names(arguments: ast.arguments) -> list[str]:
    return list(signature(arguments).names)


SCRIPT = "module"
"""Name of the function that contains the statements at a file's top level."""

DEFINITIONS = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom,
)  # fmt: skip


def script_test(tree: ast.Module) -> ast.FunctionDef | None:
    """Return the statements at a file's top level as a function, or None if there are none.

    Names that a function or class of the file reads do not become variables of that function. They
    stay constants of the file.
    """
    read = frozenset().union(
        *(
            find_free_names(node)
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        )
    )
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, DEFINITIONS):
            continue
        if isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test):
            body += [each for each in statement.body if not isinstance(each, DEFINITIONS)]
        elif not _is_constant(statement, read):
            body.append(statement)
    if not any(isinstance(each, ast.Assign) for each in body):
        return None
    arguments = ast.arguments([], [], None, [], [], None, [])
    made = ast.FunctionDef(SCRIPT, arguments, body, [], lineno=body[0].lineno, col_offset=0)
    made.end_lineno = body[-1].end_lineno
    return ast.fix_missing_locations(made)


def _is_constant(statement: ast.stmt, read: frozenset[str]) -> bool:
    names = stored_names(statement)
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    return names <= read or all(name.isupper() for name in names)
