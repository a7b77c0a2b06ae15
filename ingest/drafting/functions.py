"""Writing of an autograd Function without gradients as the plain function that it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from curation.source.functions import is_docstring
from curation.source.text import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.naming import to_snake_case

# Calls by which a forward pass tells its context about the backward pass.
NOTED = {"save_for_backward", "mark_non_differentiable", "set_materialize_grads", "mark_dirty"}


@cached
def write_functions(text: str, *, differentiable: bool) -> str:
    """Return the module whose functions call no second name of a function, and no class that has a
    forward pass alone.
    """
    try:
        text = _without_alias(text)
        return text if differentiable else _without_class(text)
    except UNREADABLE:
        return text


def _uses(tree: ast.Module, name: str) -> list[ast.Name]:
    return [node for node in walk(tree) if isinstance(node, ast.Name) and node.id == name]


def _without_alias(text: str) -> str:
    """Call `SwiGLU.apply` instead of `swiglu = SwiGLU.apply`, if that is its one use."""
    tree = parse(text)
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=alias)],
                value=ast.Attribute(value=ast.Name(), attr="apply") | ast.Name() as value,
            ):
                uses = [use for use in _uses(tree, alias) if isinstance(use.ctx, ast.Load)]
                if len(uses) == 1 and len(_uses(tree, alias)) == 2:
                    edits = Edits(text)
                    edits.drop(statement, alone=False)
                    edits.put(uses[0], edits.of(value))
                    return edits.text()
    return text


def _without_class(text: str) -> str:
    tree = parse(text)
    taken = {node.id for node in walk(tree) if isinstance(node, ast.Name)} | {
        node.name for node in walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    for statement in tree.body:
        if not isinstance(statement, ast.ClassDef):
            continue
        forward = _forward_alone(statement)
        uses = _uses(tree, statement.name)
        written = f"{to_snake_case(statement.name)}_forward"
        if forward is None or len(uses) != 1 or written in taken:
            continue
        calls = [
            node.func
            for node in walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.value is uses[0]
            and node.func.attr == "apply"
        ]
        if len(calls) != 1:
            continue
        edits = Edits(text)
        edits.put(calls[0], written)
        for noted, alone in _notes(forward):
            edits.drop(noted, alone=alone)
        return _moved(edits.text(), statement.name, written)
    return text


def _forward_alone(node: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the forward pass of a Function that has nothing else, and whose context only takes
    notes.
    """
    bases = [ast.unparse(base) for base in node.bases]
    methods = [each for each in node.body if not is_docstring(each)]
    if bases not in (["torch.autograd.Function"], ["Function"], ["autograd.Function"]):
        return None
    match methods:
        case [ast.FunctionDef(name="forward") as forward] if forward.args.args:
            pass
        case _:
            return None
    context = forward.args.args[0].arg
    decorators = [ast.unparse(each) for each in forward.decorator_list]
    if "staticmethod" not in decorators or forward.args.posonlyargs or forward.args.vararg:
        return None
    notes = {id(inner) for noted, _ in _notes(forward) for inner in walk(noted)}
    reads = [n for n in walk(forward) if isinstance(n, ast.Name) and n.id == context]
    return forward if all(id(read) in notes for read in reads) else None


def _notes(forward: ast.FunctionDef) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements that only tell the context something, and whether each is alone."""
    context = forward.args.args[0].arg
    for node in walk(forward):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if not isinstance(block, list):
                continue
            notes = [each for each in block if _is_note(each, context)]
            for place, each in enumerate(notes):
                yield each, len(notes) == len(block) and place == 0


def _is_note(statement: ast.stmt, context: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))):
            return name == context and attr in NOTED
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))], value=value):
            return name == context and not any(isinstance(n, ast.Call) for n in walk(value))
    return False


def _moved(text: str, class_name: str, written: str) -> str:
    """Return the module with the forward pass at the top level, in place of its class."""
    tree = parse(text)
    owner = next(
        each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == class_name
    )
    forward = next(each for each in owner.body if isinstance(each, ast.FunctionDef))
    edits = Edits(text)
    first = forward.args.args[0]
    others = [*forward.args.args[1:], *forward.args.kwonlyargs]
    end = edits.start(others[0]) if others and not _stands_alone(forward) else edits.end(first)
    edits.replace(edits.start(first), end, "")
    for decorator in forward.decorator_list:
        if ast.unparse(decorator) == "staticmethod":
            edits.drop_decorator(decorator)
    start = edits.start(forward) + len("def ")
    edits.replace(start, start + len(b"forward"), written)
    lines = edits.text().split("\n")
    tree = parse("\n".join(lines))
    owner = next(
        each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == class_name
    )
    forward = next(each for each in owner.body if isinstance(each, ast.FunctionDef))
    begin = min([forward.lineno, *(each.lineno for each in forward.decorator_list)])
    margin = " " * forward.col_offset
    moved = [line.removeprefix(margin) for line in lines[begin - 1 : forward.end_lineno]]
    head = min([owner.lineno, *(each.lineno for each in owner.decorator_list)])
    return "\n".join([*lines[: head - 1], *moved, *lines[owner.end_lineno :]])


def _stands_alone(forward: ast.FunctionDef) -> bool:
    """Return whether the first parameter after the context must be named in a call."""
    return len(forward.args.args) == 1
