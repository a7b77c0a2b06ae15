"""Search for the parameters to which a launcher writes, by syntax.

A kernel writes to the pointers through which it stores. A launcher writes to the arguments that it
passes for such a pointer, and to tensors into which it assigns. Without this search, a call whose
result is discarded would seem to change each of its arguments.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from curation.source.functions import dotted_name, signature
from ingest.drafting.reading.statements import mark_written, root_name, written_names
from ingest.drafting.reading.suites import SuiteFile, Suites
from ingest.drafting.reading.weights import innermost_call
from ingest.extract.targets import External, Local

VIEWS = {"view", "reshape", "t", "transpose", "permute", "unsqueeze", "squeeze", "flatten",
         "contiguous", "detach", "data", "view_as", "expand", "narrow", "T", "mT"}  # fmt: skip
STORES = {"store", "atomic_add", "atomic_max", "atomic_min", "atomic_cas", "atomic_xchg",
          "atomic_and", "atomic_or", "atomic_xor"}  # fmt: skip
NOTHING = ast.FunctionDef("nothing", ast.arguments([], [], None, [], [], None, []), [], [])
# Maximum depth of calls from a launcher to its kernels. Launchers use few levels.
DEEPEST = 6

Function = ast.FunctionDef


def mark_calls(suite: SuiteFile, tree: ast.AST, suites: Suites) -> None:
    """Record in each call of the repository's functions or modules, and in its statement, the names
    to which the call writes. `suites`: the repository's other files.
    """
    writes = _Writes(suites)
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    inner = {
        node.name: node for each in functions for node in each.body if isinstance(node, Function)
    }
    modules = _constructed(tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        parts = dotted_name(call.func)
        target = suite.meaning(parts) if parts else None
        if parts and len(parts) == 1 and parts[0] in inner:
            written = writes.of_inner(suite, inner[parts[0]])
        elif parts and len(parts) == 1 and parts[0] in modules:
            written = writes.of_module(suite, modules[parts[0]])
        elif isinstance(target, Local):
            written = writes.of_host(suite, target)
        else:
            continue
        if written is not None:
            roots = (root_name(value) for value in _among(call, *written))
            mark_written(call, frozenset(root for root in roots if root))
    for statement in ast.walk(tree):
        match statement:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
                known = written_names(call)
                if known is not None:
                    mark_written(statement, known)


def _constructed(tree: ast.AST) -> dict[str, tuple[str, ...]]:
    """Return the class of each name that is bound to an instance: `m = C(…).to(device)`."""
    classes: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                made = innermost_call(call)
                parts = dotted_name(made.func) if isinstance(made, ast.Call) else None
                if parts and parts[-1][:1].isupper():
                    classes[name] = parts
    return classes


@dataclass
class _Writes:
    """Parameters to which functions and kernels write. Each function is read only once."""

    _suites: Suites
    _known: dict[Local, tuple[Function, frozenset[str]] | None] = field(default_factory=dict)

    def of_host(
        self, suite: SuiteFile, local: Local, depth: int = 0
    ) -> tuple[Function, frozenset[str]] | None:
        """Return a function and the parameters to which it writes, or None if that is unknown."""
        if local not in self._known:
            self._known[local] = None
            found = self._definition(suite, local)
            if found is not None and depth < DEEPEST:
                home, function = found
                kernel = any("jit" in ast.unparse(each) for each in function.decorator_list)
                read = self._of_kernel if kernel else self._of_launcher
                names = read(home, function, depth)
                self._known[local] = (function, names) if names is not None else None
        return self._known[local]

    def _definition(self, suite: SuiteFile, local: Local) -> tuple[SuiteFile, Function] | None:
        home = self._suites.at(suite, local.path)
        if home is None:
            return None
        found = home.lookup(local.name)
        return (home, found) if isinstance(found, Function) else None

    def of_inner(
        self, suite: SuiteFile, function: Function
    ) -> tuple[Function, frozenset[str]] | None:
        names = self._of_launcher(suite, function, 0)
        return (function, names) if names is not None else None

    def of_module(
        self, suite: SuiteFile, parts: tuple[str, ...]
    ) -> tuple[Function, frozenset[str]] | None:
        """Return the `forward` of a class without `self`, and the parameters to which it writes. A
        module of torch writes to none.
        """
        target = suite.meaning(parts)
        if isinstance(target, External) and target.module.startswith("torch"):
            return NOTHING, frozenset()
        if not isinstance(target, Local):
            return None
        home = self._suites.at(suite, target.path)
        for node in home.tree.body if home is not None else ():
            if isinstance(node, ast.ClassDef) and node.name == target.name:
                for method in node.body:
                    if isinstance(method, Function) and method.name == "forward":
                        plain = copy.copy(method)
                        plain.args = copy.deepcopy(method.args)
                        plain.args.args = plain.args.args[1:]
                        return self.of_inner(home, plain) if home is not None else None
        return None

    def _of_launcher(
        self, suite: SuiteFile, function: Function, depth: int
    ) -> frozenset[str] | None:
        roots = {name: {name} for name in signature(function.args).names}
        parameters = frozenset(roots)
        written: set[str] = set()
        for node in _in_order(function.body):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target, part in _paired(targets, value):
                        if isinstance(target, ast.Name):
                            roots[target.id] = _aliased(part, roots)
                        elif isinstance(target, ast.Subscript):
                            written |= _aliased(target.value, roots)
                case ast.AugAssign(target=target):
                    written |= _aliased(target, roots)
                case ast.Call(func=ast.Attribute(value=value, attr=attr)) if (
                    attr.endswith("_") and not attr.startswith("_") and attr != "requires_grad_"
                ):
                    written |= _aliased(value, roots)
            if isinstance(node, ast.Call):
                called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
                values = self._called(suite, called, node, depth)
                if values is None and (called is not node.func or _is_applied(called)):
                    return None
                for value in values or ():
                    written |= _aliased(value, roots)
        return parameters & written

    def _of_kernel(self, suite: SuiteFile, function: Function, depth: int) -> frozenset[str]:
        """Return the parameters through which a kernel stores."""
        roots = {name: {name} for name in signature(function.args).names}
        parameters = frozenset(roots)
        written: set[str] = set()
        # Read the body twice, because a loop may assign a pointer that is based on itself.
        for node in [*_in_order(function.body)] * 2:
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target, part in _paired(targets, value):
                        if isinstance(target, ast.Name):
                            roots[target.id] = roots.get(target.id, set()) | _pointers(part, roots)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    roots[name] = roots.get(name, set()) | _pointers(value, roots)
                case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in STORES:
                    pointer = node.args[0] if _is_language(owner) and node.args else owner
                    written |= _pointers(pointer, roots)
                case ast.Call(func=ast.Name() as called):
                    for value in self._called(suite, called, node, depth) or ():
                        written |= _pointers(value, roots)
        return parameters & written

    def _called(
        self, suite: SuiteFile, called: ast.expr, call: ast.Call, depth: int
    ) -> list[ast.expr] | None:
        """Return the arguments to which a call of a function writes, or None if that is unknown."""
        parts = dotted_name(called)
        target = suite.meaning(parts) if parts else None
        known = self.of_host(suite, target, depth + 1) if isinstance(target, Local) else None
        return _among(call, *known) if known is not None else None


def _is_applied(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and called.attr == "apply"


def _among(call: ast.Call, function: Function, names: frozenset[str]) -> list[ast.expr]:
    """Return those arguments of a call that are passed for these parameters of the function."""
    return [value for name, value in signature(function.args).given(call).items() if name in names]


def _in_order(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body in the order of its text, without inner functions."""
    for statement in body:
        if isinstance(statement, Function | ast.ClassDef):
            continue
        yield statement
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                yield from _in_order([child])
            else:
                yield from ast.walk(child)


def _paired(targets: Sequence[ast.expr], value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts, strict=False)
        elif isinstance(target, ast.Tuple):
            yield from ((each, value) for each in target.elts)
        else:
            yield target, value


def _aliased(node: ast.expr, roots: dict[str, set[str]]) -> set[str]:
    """Return the parameters with which a launcher's tensor shares its memory."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in VIEWS:
                node = value
            case ast.Attribute(value=value, attr=attr) if attr in VIEWS:
                node = value
            case ast.Subscript(value=value) | ast.Starred(value=value):
                node = value
            case ast.IfExp(body=body, orelse=orelse):
                return _aliased(body, roots) | _aliased(orelse, roots)
            case ast.Name(id=name):
                return set(roots.get(name, set()))
            case _:
                return set()


def _pointers(node: ast.AST | None, roots: dict[str, set[str]]) -> set[str]:
    """Return the parameters on which an address is based: `out` in `out + row * stride + n`."""
    match node:
        case ast.Name(id=name):
            return set(roots.get(name, set()))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _pointers(left, roots) or _pointers(right, roots)
        case ast.IfExp(body=body, orelse=orelse):
            return _pointers(body, roots) | _pointers(orelse, roots)
        case ast.Subscript(value=value):
            return _pointers(value, roots)
        case ast.Call(func=func) if not ast.unparse(func).endswith("load"):
            base = next((k.value for k in node.keywords if k.arg == "base"), None)
            first = base or (node.args[0] if node.args else None)
            if isinstance(func, ast.Attribute) and not _is_language(func.value):
                first = func.value
            return _pointers(first, roots)
    return set()


def _is_language(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Name) and owner.id in {"tl", "gl", "language", "libdevice"}
