"""Removal of conversions and detachments that change nothing."""

from __future__ import annotations

import ast

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.in_place import arguments_of

Function = ast.FunctionDef

# Functions of torch that return whole numbers, if no type is given.
WHOLE_NUMBERS = {"torch.randint", "torch.randperm", "torch.bincount", "torch.argsort"}
WHOLE_TYPES = {"torch.long", "torch.int", "torch.short", "torch.bool", "torch.uint8", "torch.int8",
               "torch.int16", "torch.int32", "torch.int64"}  # fmt: skip
ALLOCATING = {"torch.ones", "torch.zeros", "torch.full", "torch.tensor", "torch.empty"}
JOINING = {"torch.cat", "torch.stack", "torch.full_like", "torch.zeros_like", "torch.ones_like"}
# Methods whose results are whole if their tensor is.
KEEPING = {"clamp", "cumsum", "flatten", "view", "reshape", "long", "int", "clone", "contiguous",
           "unsqueeze", "squeeze", "sum", "repeat", "transpose", "permute", "expand"}  # fmt: skip


def drop_second_conversions(text: str, entry: str) -> str:
    """Return the module whose function `entry` converts no result to the type that it has:
    `helper(x).to(x.dtype)`, where the helper returns what it has converted to the type of x.
    """
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    functions = {node.name: node for node in tree.body if isinstance(node, Function)}
    function = functions.get(entry)
    if function is None:
        return text
    stored = _stored(function)
    edits = Edits(text)
    for node in walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id=name)) as inner, attr="to"),
                args=[ast.Attribute(value=ast.Name(id=like), attr="dtype")],
                keywords=[],
            ) if name in functions and like not in stored:
                given = arguments_of(inner, functions[name])
                handed = {p for p, v in given if isinstance(v, ast.Name) and v.id == like}
                if _result_type(functions[name]) in handed:
                    edits.put(node, edits.of(inner))
    return edits.text()


def _result_type(function: Function) -> str:
    """Return the parameter to whose type every returned value is converted, or ""."""
    nodes = list(walk(function))
    if any(isinstance(n, Function | ast.Lambda) and n is not function for n in nodes):
        return ""
    types = {_type_of(n.value, function) for n in nodes if isinstance(n, ast.Return)}
    return types.pop() if len(types) == 1 else ""


def _type_of(value: ast.expr | None, function: Function) -> str:
    match value:
        case ast.Call(func=ast.Attribute(attr="to"), args=[kind], keywords=[]):
            pass
        case ast.Call(
            func=ast.Attribute(attr="to"), args=[], keywords=[ast.keyword("dtype", kind)]
        ):
            pass
        case _:
            return ""
    stored = _stored(function)
    match kind:
        case ast.Attribute(value=ast.Name(id=name), attr="dtype") if name not in stored:
            return name
        case ast.Name(id=alias) if stored.count(alias) == 1:
            return _aliased_type(alias, function)
    return ""


def _aliased_type(alias: str, function: Function) -> str:
    """Return `x` if `alias = x.dtype` comes before another value of x."""
    before: list[str] = []
    for statement in function.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=bound)],
                value=ast.Attribute(value=ast.Name(id=name), attr="dtype"),
            ) if bound == alias:
                return "" if name in before else name
        before += _stored(statement)
    return ""


def _stored(node: ast.AST) -> list[str]:
    return [
        each.id
        for each in walk(node)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    ]


def drop_detached(text: str, entry: str, test: str) -> str:
    """Return the module whose function `entry` detaches no input that holds whole numbers, which
    take no gradients. `test` makes the inputs.
    """
    if ".detach()" not in text:
        return text
    try:
        tree = parse(text)
        whole = find_whole_numbers(parse(test))
    except UNREADABLE:
        return text
    edits = Edits(text)
    for function in tree.body:
        if isinstance(function, Function) and function.name == entry:
            for statement in function.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                        name in whole and ast.unparse(value) == f"{name}.detach()"
                    ):
                        edits.drop(statement, alone=False)
    return edits.text()


def drop_every_detach(text: str) -> str:
    """Return a side of a pair without gradients that detaches nothing: `x.detach()` is `x`."""
    if ".detach()" not in text:
        return text
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                ast.unparse(value) == f"{name}.detach()"
            ):
                continue
            case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
                edits.replace(edits.end(value), edits.end(node), "")
    return edits.text()


def drop_requirements(test: str) -> str:
    """Return a test without gradients whose inputs require none: `x.requires_grad_()` is `x`."""
    if "requires_grad_" not in test:
        return test
    try:
        tree = parse(test)
    except UNREADABLE:
        return test
    edits = Edits(test)
    for node in walk(tree):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="requires_grad_"))):
                continue
            case ast.Call(
                func=ast.Name(id="tuple" | "list" as kind),
                args=[
                    ast.GeneratorExp(
                        elt=ast.Call(func=ast.Attribute(value=ast.Name(id=each), attr=attr)),
                        generators=[ast.comprehension(target=ast.Name(id=name), iter=of, ifs=[])],
                    )
                ],
            ) if each == name and attr == "requires_grad_":
                edits.put(node, f"{kind}({edits.of(of)})")
            case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_"), keywords=[]):
                edits.put(node, edits.of(value))
    return edits.text()


def find_whole_numbers(tree: ast.Module) -> set[str]:
    """Return the names in `make_inputs` that only hold tensors of whole numbers."""
    whole: set[str] = set()
    other: set[str] = set()
    for function in tree.body:
        if not isinstance(function, Function) or function.name != "make_inputs":
            continue
        assigned: set[int] = set()
        for node in walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assigned.add(id(node.targets[0]))
                (whole if _is_whole(node.value, whole) else other).add(node.targets[0].id)
        for node in walk(function):
            stored = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
            if stored and id(node) not in assigned:
                other.add(node.id)  # type: ignore[attr-defined]
    return whole - other


def _is_whole(value: ast.expr, known: set[str]) -> bool:
    """Return whether a tensor holds whole numbers for certain. `known`: names of such tensors."""
    match value:
        case ast.Name(id=name):
            return name in known
        case ast.Subscript(value=inner):
            return _is_whole(inner, known)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            sides = [each for each in (left, right) if not _is_number(each)]
            return bool(sides) and all(_is_whole(each, known) for each in sides)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return bool(elements) and all(_is_whole(each, known) for each in elements)
        case ast.ListComp(elt=element):
            return _is_whole(element, known)
        case ast.Call(func=ast.Attribute(value=owner, attr=attr) as func, args=args):
            kind = next((each.value for each in value.keywords if each.arg == "dtype"), None)
            if kind is not None and ast.unparse(kind) not in WHOLE_TYPES:
                return False
            called = ast.unparse(func)
            if called in WHOLE_NUMBERS:
                return True
            if called in ALLOCATING:
                return kind is not None or (called == "torch.tensor" and _are_whole(args))
            if called in JOINING:
                return bool(args) and _is_whole(args[0], known)
            return attr in KEEPING and _is_whole(owner, known)
    return False


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _are_whole(args: list[ast.expr]) -> bool:
    """Return whether the first argument of `torch.tensor` is a list of written whole numbers."""
    match args:
        case [ast.List(elts=elements), *_]:
            return all(map(_is_number, elements))
    return False
