"""Removal of parameters of helpers and kernels that their bodies do not read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from curation.source.text import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.call_sites import drop_parameters, find_calls, given_to
from ingest.drafting.kernel_parameters import find_named, is_kernel, takes_arguments_as_given

ROUNDS = 60


@cached
def drop_unread(text: str, entry: str) -> str:
    """Return the module whose helpers and kernels lack the parameters that nothing reads, as do
    their calls.

    `entry` keeps its parameters. A function that is used in another way than by calls keeps them
    too.
    """
    for _ in range(ROUNDS):
        try:
            written = _without_one(text, parse(text), entry)
        except UNREADABLE:
            return text
        if written is None:
            return text
        text = written
    return text


def _without_one(text: str, tree: ast.Module, entry: str) -> str | None:
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.name == entry:
            continue
        if function.args.kwarg or not takes_arguments_as_given(function):
            continue
        read = read_first(function)
        kept = find_named(tree, function, all_lists=True) if is_kernel(function) else set()
        unread = [
            place
            for place, each in enumerate(function.args.args)
            if each.arg not in read and each.arg not in kept
        ]
        calls = find_calls(tree, function.name) if unread and "locals" not in read else []
        for place in unread if calls else ():
            argument = function.args.args[place]
            given = [given_to(call, place, argument.arg) for call in calls]
            if all(each is None or _is_plain(each) for each in given):
                return _without(text, function, place, calls)
    return None


def read_first(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function reads before it binds them, or may read."""
    read: set[str] = set()
    bound: set[str] = set()
    for statement in function.body:
        names = [node for node in walk(statement) if isinstance(node, ast.Name)]
        read |= {node.id for node in names if not isinstance(node.ctx, ast.Store)} - bound
        if isinstance(statement, ast.Assign):
            bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        else:
            read |= {node.id for node in names} - bound
    return read


def _is_plain(node: ast.expr | ast.keyword) -> bool:
    """Return whether an argument may go: computing it does nothing else."""
    for each in walk(node):
        match each:
            case ast.Call(func=ast.Attribute(attr="stride" | "size" | "numel" | "dim")):
                continue
            case ast.Call() | ast.NamedExpr() | ast.Await() | ast.Yield():
                return False
    return True


def _without(
    text: str, function: ast.FunctionDef, place: int, calls: Sequence[ast.Call]
) -> str | None:
    edits = Edits(text)
    a = function.args
    if len(a.args) == 1 and a.kwonlyargs:
        return None
    if any(each.arg is None for call in calls for each in call.keywords):
        return None
    drop_parameters(function, {function.args.args[place].arg}, calls, edits)
    written = edits.text()
    parse(written)
    return written
