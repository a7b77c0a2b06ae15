"""Signatures of functions, arguments of calls, and names in expressions."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function, without `*args` and `**kwargs`."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    defaults: Mapping[str, ast.expr]

    @property
    def names(self) -> tuple[str, ...]:
        return self.positional + self.keyword_only

    @property
    def required(self) -> list[str]:
        return [name for name in self.names if name not in self.defaults]

    def given(self, call: ast.Call) -> dict[str, ast.expr]:
        """Return the arguments of a call, by the names of the parameters."""
        return dict(zip(self.positional, call.args, strict=False)) | named_arguments(call)

    def bind(self, call: ast.Call) -> dict[str, ast.expr] | None:
        """Return the value of each parameter, or None if the call unpacks values or is wrong."""
        given = self.given(call)
        # `given` has fewer entries if the call has too many arguments, or sets a parameter twice.
        lost = len(given) < len(call.args) + len(call.keywords)
        if unpacks(call) or lost or not {*self.required} <= given.keys() <= {*self.names}:
            return None
        values = {**self.defaults, **given}
        return {name: values[name] for name in self.names}

    def without_first(self) -> Signature:
        """Return the signature of a bound method."""
        return Signature(self.positional[1:], self.keyword_only, self.defaults)


def signature(arguments: ast.arguments) -> Signature:
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    keyword_only = [each.arg for each in arguments.kwonlyargs]
    pairs = zip(keyword_only, arguments.kw_defaults, strict=True)
    defaults |= {name: default for name, default in pairs if default is not None}
    return Signature(tuple(positional), tuple(keyword_only), defaults)


def named_arguments(call: ast.Call) -> dict[str, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}


def unpacks(call: ast.Call) -> bool:
    """Return whether a call has an argument such as `*values` or `**options`."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


def is_docstring(statement: ast.stmt) -> bool:
    """Return whether a statement consists of a constant, as a docstring does."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def dotted_name(node: ast.AST) -> tuple[str, ...] | None:
    """Return the parts of `a.b.c`, or None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return (node.id, *reversed(parts))


def assignment(module: ast.Module, name: str) -> ast.Assign | None:
    """Return the first assignment in a module to exactly this name, or None."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                return statement
    return None


def loaded_names(node: ast.AST) -> frozenset[str]:
    return frozenset(
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def stored_names(node: ast.AST) -> frozenset[str]:
    """Return the names that a node binds, except names in a comprehension or an inner function."""
    names: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, ast.FunctionDef | ast.ClassDef):
            names.add(current.name)
            continue
        if isinstance(current, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(current, ast.Name) and isinstance(current.ctx, ast.Store):
            names.add(current.id)
        pending.extend(ast.iter_child_nodes(current))
    return frozenset(names)


def is_kernel(function: ast.FunctionDef) -> bool:
    """Return whether a function is decorated as a kernel of Triton."""
    called = (each.func if isinstance(each, ast.Call) else each for each in function.decorator_list)
    return any(ast.unparse(each).rpartition(".")[2] == "jit" for each in called)
