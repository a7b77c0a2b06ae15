"""Parameters of kernels, which decorators and grids can name by strings."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from curation.source.text import Edits, parse, walk
from ingest.drafting.call_sites import HANDING_ON

TUNING = {"autotune", "heuristics"}
# Lists of names that may lose one.
NAMING = {"key", "do_not_specialize", "do_not_specialize_on_alignment"}


def is_kernel(function: ast.FunctionDef) -> bool:
    return any(_kind(each) == "jit" for each in function.decorator_list)


def takes_arguments_as_given(function: ast.FunctionDef) -> bool:
    """Return whether a function gets just what its calls or launches hand over, by parameters that
    a call may name.
    """
    if function.args.vararg or function.args.posonlyargs:
        return False
    if is_kernel(function):
        return all(_kind(each) in {"jit", *TUNING} for each in function.decorator_list)
    return {ast.unparse(each) for each in function.decorator_list} <= HANDING_ON


def find_named(tree: ast.Module, kernel: ast.FunctionDef, *, all_lists: bool = False) -> set[str]:
    """Return the names that must stay parameters of a kernel: those that a configuration, a grid or
    another text may name, and those of which an attribute is read, as `X.value`.

    all_lists: also those of its decorators' lists, from which a constant may go.
    """
    lists = () if all_lists else _lists(kernel)
    own = {id(node) for each in lists for node in walk(each)}
    named: set[str] = set()
    for statement in tree.body:
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.FunctionDef) and statement is not kernel:
            parts = [*statement.body, statement.args]
        for node in (node for part in parts for node in walk(part)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named |= set() if id(node) in own else {node.value}
    configured = [node for each in kernel.decorator_list for node in walk(each)]
    named |= {node.arg for node in configured if isinstance(node, ast.keyword) and node.arg}
    for node in walk(kernel):
        match node:
            case ast.Attribute(value=ast.Name(id=name)):
                named.add(name)
    return named


def is_constant(parameter: ast.arg) -> bool:
    """Return whether a kernel takes a parameter at compile time."""
    return parameter.annotation is not None and "constexpr" in ast.unparse(parameter.annotation)


def drop_names(kernel: ast.FunctionDef, names: Collection[str], edits: Edits) -> None:
    """Remove parameters from the lists of names in the decorators."""
    for listed in _lists(kernel):
        kept = [
            each
            for each in listed.elts
            if not (isinstance(each, ast.Constant) and each.value in names)
        ]
        if len(kept) < len(listed.elts):
            edits.put(listed, f"[{', '.join(map(edits.of, kept))}]")


def without_idle_names(text: str, name: str) -> str:
    """Return the text whose kernel of that name assigns None to no name that it never reads."""
    for kernel in parse(text).body:
        if not isinstance(kernel, ast.FunctionDef) or kernel.name != name:
            continue
        edits = Edits(text)
        names = [node for node in walk(kernel) if isinstance(node, ast.Name)]
        read = {node.id for node in names if not isinstance(node.ctx, ast.Store)}
        for node in walk(kernel):
            for part in ("body", "orelse"):
                block = getattr(node, part, None)
                if not isinstance(block, list):
                    continue
                for statement in block:
                    match statement:
                        case ast.Assign(
                            targets=[ast.Name(id=bound)], value=ast.Constant(value=None)
                        ) if bound not in read:
                            edits.drop(statement, alone=len(block) == 1)
        return edits.text()
    return text


def _lists(kernel: ast.FunctionDef) -> Iterator[ast.List]:
    for decorator in kernel.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg in NAMING and isinstance(keyword.value, ast.List):
                yield keyword.value


def _kind(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2]
