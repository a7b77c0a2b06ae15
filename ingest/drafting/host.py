"""Index of a standalone module's host code: functions, classes and methods by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from curation.source.text import parse, walk

Function = ast.FunctionDef


class HostCode:
    def __init__(self, module: str) -> None:
        self.functions: dict[str, Function] = {}
        self.methods: dict[str, dict[str, Function]] = {}
        self.bases: dict[str, list[str]] = {}
        self.applied: dict[str, str] = {}
        tree = parse(module)
        for node in walk(tree):
            match node:
                case ast.ClassDef(name=name):
                    self.methods[name] = {
                        inner.name: inner for inner in node.body if isinstance(inner, Function)
                    }
                    self.bases[name] = [ast.unparse(base) for base in node.bases]
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Attribute(value=ast.Name(id=owner), attr="apply"),
                ):
                    self.applied[name] = owner
        methods = {id(method) for known in self.methods.values() for method in known.values()}
        for node in walk(tree):
            if isinstance(node, Function) and not _of_a_kernel(node) and id(node) not in methods:
                self.functions.setdefault(node.name, node)

    def method(self, owner: str, name: str) -> Function | None:
        """Return a method of a class or of its nearest base in the module, or None."""
        seen: set[str] = set()
        pending = [owner]
        while pending:
            each = pending.pop(0)
            if name in self.methods.get(each, {}):
                return self.methods[each][name]
            if each not in seen:
                seen.add(each)
                pending += self.bases.get(each, [])
        return None

    def functions_of_autograd(self) -> list[str]:
        return [
            name for name, bases in self.bases.items()
            if any(base.rpartition(".")[2] == "Function" for base in bases)
        ]  # fmt: skip


def walk_body(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield every node of the statements except nested definitions."""
    for statement in body:
        if not isinstance(statement, Function | ast.ClassDef):
            yield from walk(statement)


def _of_a_kernel(function: Function) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)
