"""Removal of copies of inputs that a side makes although nothing writes to them.

A test copies its inputs because it computes both sides and gradients from them. A pair makes its
inputs anew for each side. The text tells which parameters its functions and kernels write to. A
parameter of a call that is not understood counts as written.
"""

from __future__ import annotations

import ast
from collections import Counter

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.in_place import parameters_of
from ingest.drafting.writes import Writes

Function = ast.FunctionDef


def drop_copies(text: str, entry: str) -> str:
    """Return the module whose function `entry` hands its inputs on without copies, where nothing
    writes to them.
    """
    try:
        if ".clone()" not in text:
            return _without_aliases(text, entry)
        text = _without_second_copy(text, entry)
        tree = parse(text)
        writes = Writes(tree)
        if writes.backward_writes():
            return text
        function = writes.functions.get(entry)
        if function is None:
            return text
        written = writes.of(function)
        if written is None:
            return text
        edits = Edits(text)
        kept = _returned(function)
        free = set(parameters_of(function)) - written
        for node in walk(function):
            match node:
                case ast.IfExp() if (name := _given_or_none(node)) in free:
                    edits.put(node, name)
                    kept += walk(node)
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name) as tensor, attr="clone"),
                    args=[],
                    keywords=[],
                ) if name in free and node not in kept:
                    edits.put(node, tensor.id)
        return _without_aliases(edits.text(), entry)
    except UNREADABLE:
        return text


def _without_second_copy(text: str, entry: str) -> str:
    """Return the text without `x = x.clone()`, where the only other read of x copies it again."""
    tree = parse(text)
    edits = Edits(text)
    for function in tree.body:
        if not isinstance(function, Function) or function.name != entry:
            continue
        reads = Counter(
            each.id for each in walk(function)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
        )  # fmt: skip
        copied = Counter(ast.unparse(each) for each in walk(function) if isinstance(each, ast.Call))
        for statement in function.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                    ast.unparse(value) == f"{name}.clone()"
                    and reads[name] == 2
                    and copied[f"{name}.clone()"] == 2
                ):
                    edits.drop(statement, alone=False)
    return edits.text()


def _given_or_none(node: ast.IfExp) -> str:
    """Return `x` of `x.clone() if x is not None else None`, or ""."""
    match node:
        case (
            ast.IfExp(
                test=ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.IsNot()],
                    comparators=[ast.Constant(value=None)],
                ),
                body=kept,
                orelse=ast.Constant(value=None),
            )
            | ast.IfExp(
                test=ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
                ),
                body=ast.Constant(value=None),
                orelse=kept,
            )
        ) if ast.unparse(kept) == f"{name}.clone()":
            return name
    return ""


def _returned(function: Function) -> list[ast.AST]:
    """Return the nodes of returned values that no call computes from."""
    nodes: list[ast.AST] = []
    for statement in walk(function):
        if isinstance(statement, ast.Return) and statement.value is not None:
            pending: list[ast.AST] = [statement.value]
            while pending:
                node = pending.pop()
                nodes.append(node)
                if isinstance(node, ast.Tuple | ast.List | ast.IfExp | ast.Attribute):
                    pending.extend(ast.iter_child_nodes(node))
    return nodes


def _without_aliases(text: str, entry: str) -> str:
    """Return the text without second names for inputs: `h1 = tensor`, `q = q`."""
    tree = parse(text)
    function = next((n for n in tree.body if isinstance(n, Function) and n.name == entry), None)
    if function is None:
        return text
    names = [node for node in walk(function) if isinstance(node, ast.Name)]
    stored = [node.id for node in names if not isinstance(node.ctx, ast.Load)]
    parameters = set(parameters_of(function))
    inner = {each.arg for each in walk(function) if isinstance(each, ast.arg)} - parameters
    edits = Edits(text)
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                if name == other:
                    edits.drop(statement, alone=False)
                elif (
                    stored.count(name) == 1
                    and other in parameters - set(stored)
                    and not {name, other} & inner
                ):
                    edits.drop(statement, alone=False)
                    for node in names:
                        if node.id == name and isinstance(node.ctx, ast.Load):
                            edits.put(node, other)
    return edits.text()
