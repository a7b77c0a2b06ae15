"""Merging of a function that only passes its arguments on with the function that it calls."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.source.functions import is_docstring, signature
from curation.source.text import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.docstrings import join_docstrings
from ingest.drafting.renaming import rename_in

MOST = 6
"""Wrappers around wrappers that are merged."""
# Decorators that mean the same on the function that calls.
MOVABLE = {"torch.no_grad", "torch.no_grad()", "torch.inference_mode", "torch.inference_mode()",
           "torch.compiler.disable", "input_guard", "contiguous", "ensure_contiguous"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Merge:
    """A wrapper, the function that it calls, and the call."""

    wrapper: ast.FunctionDef
    called: ast.FunctionDef
    call: ast.Call


@cached
def merge_wrappers(text: str, name: str) -> str:
    """Return the module whose function `name` holds the code that it only passed its arguments to.

    The function that was called must have no other use. Its parameters get the wrapper's names.
    """
    for _ in range(MOST):
        try:
            tree = parse(text)
            merge = _find(tree, name)
            merged = _merged(text, merge) if merge is not None else None
        except UNREADABLE:
            return text
        if merged is None:
            return text
        text = merged
    return text


def find_called(text: str, name: str) -> str:
    """Return the name of the one function of the text that `name` calls, or ""."""
    tree = parse(text)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    if name not in functions:
        return ""
    called = {
        node.func.id
        for node in walk(functions[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    own = called & functions.keys()
    return own.pop() if len(own) == 1 else ""


def passed_on(function: ast.FunctionDef) -> ast.Call | None:
    """Return the call of a function that does nothing but return it."""
    body = [each for each in function.body if not is_docstring(each)]
    match body:
        case [ast.Return(value=ast.Call() as call)]:
            return call
        case [
            ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call() as call),
            ast.Return(value=ast.Name(id=returned)),
        ] if bound == returned:
            return call
        case [
            ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call),
            ast.Return(value=ast.Tuple(elts=values)),
        ] if list(map(ast.unparse, targets)) == list(map(ast.unparse, values)):
            return call
    return None


def _find(tree: ast.Module, name: str) -> _Merge | None:
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    wrapper = next((each for each in functions if each.name == name), None)
    call = passed_on(wrapper) if wrapper is not None else None
    if wrapper is None or call is None or not isinstance(call.func, ast.Name):
        return None
    called = [each for each in functions if each.name == call.func.id]
    uses = [
        node
        for node in walk(tree)
        if isinstance(node, ast.Name) and node.id == call.func.id and node is not call.func
    ]
    if len(called) != 1 or uses or called[0] is wrapper or not _is_plain(called[0]):
        return None
    if wrapper.args.defaults or not _is_plain(wrapper):
        return None
    return _Merge(wrapper, called[0], call)


def _is_plain(function: ast.FunctionDef) -> bool:
    a = function.args
    decorators = {ast.unparse(each) for each in function.decorator_list}
    nodes = list(walk(function))
    return (
        not (a.vararg or a.kwarg)
        and decorators <= MOVABLE
        and not any(
            isinstance(n, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for n in nodes
        )
    )


def _given(merge: _Merge) -> dict[str, ast.expr] | None:
    """Return the value of each parameter of the called function."""
    takes, call = signature(merge.called.args), merge.call
    given = takes.given(call)
    # A default is evaluated once, at the definition.
    if any(
        not isinstance(default, ast.Constant | ast.Attribute | ast.UnaryOp)
        for name, default in takes.defaults.items()
        if name not in given
    ):
        return None
    return takes.bind(call)


def _merged(text: str, merge: _Merge) -> str | None:
    given = _given(merge)
    if given is None:
        return None
    parameters = [each.arg for each in merge.wrapper.args.args]
    inside, stored = _names(merge.called), _stored(merge.called)
    if set(parameters) & (inside - stored - {*given}):
        # The function reads a name of the module that a parameter would hide.
        return None
    renamed: dict[str, str] = {}
    assigned: list[tuple[str, ast.expr]] = []
    for name, value in given.items():
        new = value.id if isinstance(value, ast.Name) else ""
        if new in parameters and new not in renamed.values():
            if new != name and (new in inside or not _is_renamable(merge.called, name)):
                assigned.append((name, value))
            else:
                renamed[name] = new
        else:
            assigned.append((name, value))
    if _hides(assigned, renamed, parameters, stored):
        return None
    return _written(text, merge, parameters, renamed, assigned)


def _hides(
    assigned: Sequence[tuple[str, ast.expr]],
    renamed: Mapping[str, str],
    parameters: Sequence[str],
    stored: set[str],
) -> bool:
    """Return whether an assigned parameter takes the place of a name that is read later, or reads
    one that the function's own names hide.
    """
    for place, (name, value) in enumerate(assigned):
        read = {node.id for node in walk(value) if isinstance(node, ast.Name)}
        later = {
            node.id
            for _, each in assigned[place + 1 :]
            for node in walk(each)
            if isinstance(node, ast.Name)
        }
        if name in {*renamed.values()} or name in later:
            return True
        if (read - {*parameters}) & (stored | {*renamed.values()}):
            return True
    return False


def _names(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function's body reads or binds."""
    return {
        node.id if isinstance(node, ast.Name) else node.arg
        for node in walk(function)
        if isinstance(node, ast.Name | ast.arg)
    } | {node.name for node in walk(function) if isinstance(node, ast.FunctionDef)}


def _stored(function: ast.FunctionDef) -> set[str]:
    return {
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _is_renamable(function: ast.FunctionDef, name: str) -> bool:
    """Return whether no function inside of this one has a parameter of that name."""
    scopes = (node for node in walk(function) if node is not function)
    return not any(
        isinstance(each, ast.arg) and each.arg == name
        for scope in scopes
        if isinstance(scope, ast.FunctionDef | ast.Lambda)
        for each in walk(scope.args)
    )


def _written(
    text: str,
    merge: _Merge,
    parameters: Sequence[str],
    renamed: Mapping[str, str],
    assigned: Sequence[tuple[str, ast.expr]],
) -> str:
    called, wrapper = merge.called, merge.wrapper
    annotations = {
        each.arg: f": {ast.unparse(each.annotation)}"
        for each in wrapper.args.args
        if each.annotation is not None
    } | {
        renamed[each.arg]: f": {ast.unparse(each.annotation)}"
        for each in (*called.args.posonlyargs, *called.args.args, *called.args.kwonlyargs)
        if each.annotation is not None and each.arg in renamed
    }
    handed = ", ".join(f"{name}{annotations.get(name, '')}" for name in parameters)
    returns = called.returns or wrapper.returns
    result = f" -> {ast.unparse(returns)}" if returns is not None else ""
    margin = " " * called.body[0].col_offset
    docstring = join_docstrings(wrapper, called, renamed, shortened=bool(assigned))
    lines = text.splitlines()
    first, last = _range(called, lines)
    begin, end = _first(wrapper) - 1, wrapper.end_lineno or 0
    new = [
        *lines[first : _first(called) - 1],
        *(f"@{ast.unparse(each)}" for each in (*wrapper.decorator_list, *called.decorator_list)),
        f"def {wrapper.name}({handed}){result}:",
        *(f'{margin}"""{docstring}"""'.splitlines() if docstring else []),
        *(f"{margin}{name} = {ast.unparse(value)}" for name, value in assigned),
        *_body(text, called, renamed),
    ]
    if first < begin:
        made = [*lines[:first], *_parted(lines[last:begin]), *new, *lines[end:]]
    else:
        made = [*lines[:begin], *new, *lines[end:first], *_parted(lines[last:])]
    return "\n".join(made).rstrip("\n") + "\n"


def _parted(lines: list[str]) -> list[str]:
    """Return lines without the blank ones at their start."""
    while lines and not lines[0].strip():
        lines = lines[1:]
    return lines


def _first(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def _range(function: ast.FunctionDef, lines: Sequence[str]) -> tuple[int, int]:
    """Return the lines of a function with the comment above it, counted from zero."""
    first = _first(function) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return first, function.end_lineno or 0


def _body(text: str, called: ast.FunctionDef, renamed: Mapping[str, str]) -> list[str]:
    """Return the lines of a function's body with the new names, and with its comments."""
    edits = Edits(text)
    rename_in(called, {old: new for old, new in renamed.items() if old != new}, edits)
    lines = edits.text().splitlines()
    head = is_docstring(called.body[0])
    start = (called.body[0].end_lineno or 0) if head else end_of_heading(called, lines)
    return lines[start : called.end_lineno]


def end_of_heading(function: ast.FunctionDef, lines: Sequence[str]) -> int:
    """Return the line after which the body of a function begins."""
    rest = io.StringIO("\n".join(lines[function.lineno - 1 :]))
    for token in tokenize.generate_tokens(rest.readline):
        if token.type == tokenize.NEWLINE:
            return function.lineno - 1 + token.end[0]
    return function.lineno
