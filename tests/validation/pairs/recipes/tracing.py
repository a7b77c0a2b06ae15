"""Jinja templates that say which of their branches were taken."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

from validation.pairs.recipes.rendering import environment_of_templates

Branch = tuple[str, int, str]
"""The template, the line, and which way it went."""


def tracing_environment() -> tuple[Environment, set[Branch], set[Branch]]:
    """An environment, the branches that exist in what it has loaded, and those taken."""
    known: set[Branch] = set()
    taken: set[Branch] = set()

    class Tracing(Environment):
        def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
            tree = super()._parse(source, name, filename)
            _Marker(name or "", known).visit(tree)
            return tree

    def took(*branch: Any) -> str:
        taken.add(branch)
        return ""

    def chose(template: str, line: int, way: str, value: object) -> object:
        taken.add((template, line, way))
        return value

    environment = environment_of_templates(Tracing)
    environment.globals |= {"took": took, "chose": chose}
    return environment, known, taken


class _Marker(NodeTransformer):
    """Puts a note at the start of each block of an `if`, and around each side of an inline one."""

    def __init__(self, template: str, known: set[Branch]) -> None:
        self._template = template
        self._known = known
        self._elifs: set[int] = set()

    def visit_If(self, node: nodes.If) -> nodes.If:  # noqa: N802 - jinja2's name
        self._elifs |= set(map(id, node.elif_))
        self.generic_visit(node)
        node.body.insert(0, self._note(node, "then"))
        # An `elif` is a node of its own, whose `else` is that of the whole.
        if id(node) not in self._elifs:
            node.else_.insert(0, self._note(node, "else"))
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.CondExpr:  # noqa: N802
        self.generic_visit(node)
        node.expr1 = self._chosen(node.expr1, node, "one")
        node.expr2 = self._chosen(node.expr2 or nodes.Const(""), node, "other")
        return node

    def _branch(self, node: nodes.Node, way: str) -> Branch:
        return self._template, node.lineno, way

    def _call(self, name: str, node: nodes.Node, branch: Branch, *more: nodes.Expr) -> nodes.Call:
        self._known.add(branch)
        arguments = [*(nodes.Const(part) for part in branch), *more]
        call = nodes.Call(nodes.Name(name, "load"), arguments, [], None, None)
        return call.set_lineno(node.lineno)  # type: ignore[return-value]

    def _note(self, node: nodes.Node, way: str) -> nodes.Output:
        note = nodes.Output([self._call("took", node, self._branch(node, way))])
        return note.set_lineno(node.lineno)  # type: ignore[return-value]

    def _chosen(self, value: nodes.Expr, node: nodes.Node, way: str) -> nodes.Expr:
        return self._call("chose", node, self._branch(node, way), value)
