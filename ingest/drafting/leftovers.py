"""Removal of an author's leftovers in host code, such as prints and unused values, and of comments
that tell a reader nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import partial

from curation.source.functions import is_kernel
from curation.source.text import UNREADABLE, Edits, cached, parse, rewrite, walk
from ingest.drafting.comments import clean_comments

ROUNDS = 12
# Calls that change nothing but their result.
PURE = {
    "len", "int", "float", "bool", "str", "max", "min", "abs", "sum", "list", "tuple", "range",
    "isinstance", "getattr", "triton.cdiv", "triton.next_power_of_2", "math.sqrt", "math.log",
    "math.ceil", "math.floor", "torch.empty", "torch.empty_like", "torch.zeros",
    "torch.zeros_like", "torch.ones", "torch.ones_like", "torch.full", "torch.full_like",
    "torch.arange", "torch.finfo", "torch.iinfo", "torch.device", "torch.tensor",
    "torch.get_autocast_dtype", "torch.get_autocast_gpu_dtype",
}  # fmt: skip
PURE_METHODS = {"size", "stride", "dim", "numel", "clone", "detach", "view", "reshape", "float",
                "double", "to", "element_size", "new_empty", "new_zeros", "transpose", "permute",
                "contiguous", "unsqueeze", "squeeze", "flatten", "item"}  # fmt: skip
# Checks that the inputs are on a GPU, or on one.
OF_DEVICES = re.compile(
    r"\w+(\.\w+)*\.(is_cuda|device\.type [!=]= \w+|device\.type [!=]= '\w+'"
    r"|device == \w+(\.\w+)*\.device)"
)
RANDOM = re.compile(r"torch\.(rand|randn|randint|rand_like|randn_like|randperm)")


@cached
def remove_leftovers(text: str, *, inputs: bool = False) -> str:
    """Return the module without leftovers. `inputs`: it makes the inputs of a test, and may draw
    other random numbers than its author's.
    """
    text = rewrite(text, partial(_once, inputs=inputs), ROUNDS)
    text = _without_annotations(clean_comments(text))
    return _without_unread_imports(text) if inputs else text


def _without_annotations(text: str) -> str:
    """Remove the annotations of parameters by classes of the text that have no other use."""
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    arguments = [node for node in walk(tree) if isinstance(node, ast.arg) and node.annotation]
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        inside = {id(node) for node in walk(owner)}
        places = [
            each
            for each in arguments
            if id(each) not in inside and owner.name in _names(each.annotation)
        ]
        annotated = {id(node) for each in places for node in walk(each)}
        others = any(
            isinstance(node, ast.Name)
            and node.id == owner.name
            and id(node) not in annotated
            and id(node) not in inside
            for node in walk(tree)
        )
        for each in () if others else places:
            end = edits.end(each)
            edits.replace(edits.start(each) + len(each.arg.encode()), end, "")
    return edits.text()


def _names(node: ast.AST | None) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)} if node is not None else set()


def _without_unread_imports(text: str) -> str:
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    read = {node.id for node in walk(tree) if isinstance(node, ast.Name)}
    edits = Edits(text)
    for statement in tree.body:
        match statement:
            case ast.Import(names=[ast.alias(name=name, asname=other)]):
                if (other or name.partition(".")[0]) not in read:
                    edits.drop(statement, alone=False)
            case ast.ImportFrom(names=[ast.alias(name=name, asname=other)]):
                if (other or name) not in read:
                    edits.drop(statement, alone=False)
    return edits.text()


def _once(text: str, *, inputs: bool) -> str:
    edits = Edits(text)
    for function in _host_functions(parse(text)):
        read = {
            node.id
            for node in walk(function)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        }
        bound_elsewhere = {
            name
            for node in walk(function)
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        }
        if "locals" in read:
            continue
        kept = read | bound_elsewhere
        for block in _blocks(function):
            if behind := _behind_end(block):
                edits.replace(edits.end(behind[0]), edits.end(behind[-1]), "")
                continue
            left = [
                each
                for each in block
                if _says_nothing(each)
                or _binds_nothing(each, kept, inputs=inputs)
                or _is_overwritten(each, block, inputs=inputs)
            ]
            if _is_empty(block):
                continue
            for place, statement in enumerate(left):
                edits.drop(statement, alone=len(left) == len(block) and place == 0)
            for statement in block:
                if isinstance(statement, ast.If) and _is_empty(statement.orelse):
                    end = edits.end(statement.body[-1])
                    edits.replace(end, edits.end(statement.orelse[-1]), "")
                for target in _unread_results(statement, kept):
                    edits.put(target, "_")
    return edits.text()


def _host_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the functions and methods at the top, except for kernels."""
    for node in tree.body:
        for function in [node, *node.body] if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(function, ast.FunctionDef) and not is_kernel(function):
                yield function


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in walk(function):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list):
                yield block


def _says_nothing(statement: ast.stmt) -> bool:
    """Return whether a statement prints, or computes a value for nothing."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))) | ast.Pass():
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
            return name == other
        case ast.Assert(test=test):
            parts = test.values if isinstance(test, ast.BoolOp) else [test]
            return all(OF_DEVICES.fullmatch(ast.unparse(each)) for each in parts)
        case ast.If(test=test, body=body, orelse=[]):
            return _is_empty(body) and _is_pure(test, inputs=False)
        case ast.Expr(
            value=ast.BinOp()
            | ast.Name()
            | ast.Compare()
            | ast.Subscript()
            | ast.UnaryOp() as value
        ):
            return _is_pure(value, inputs=False)
    return False


def _behind_end(block: list[ast.stmt]) -> list[ast.stmt]:
    """Return a statement that ends a block with those behind it, which never run, or nothing."""
    for place, statement in enumerate(block[:-1]):
        if isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break):
            return block[place:]
    return []


def _is_empty(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and all(isinstance(each, ast.Pass) for each in block)


def _binds_nothing(statement: ast.stmt, read: set[str], *, inputs: bool) -> bool:
    """Return whether a statement only binds names that nothing reads."""
    match statement:
        case ast.Assign(targets=[target], value=value):
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            return (
                all(isinstance(each, ast.Name) and each.id not in read for each in names)
                and (len(names) == 1 or _has_parts(value))
                and _is_pure(value, inputs=inputs)
            )
    return False


def _has_parts(value: ast.expr) -> bool:
    """Return whether unpacking a value does nothing else."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute) and value.func.attr in {"size", "stride"}
    return isinstance(value, ast.Attribute | ast.Tuple | ast.Name)


def _is_overwritten(statement: ast.stmt, block: Sequence[ast.stmt], *, inputs: bool) -> bool:
    """Return whether the next statement with a name only binds it anew."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_pure(value, inputs=inputs):
            pass
        case _:
            return False
    place = next(number for number, each in enumerate(block) if each is statement)
    for each in block[place + 1 :]:
        names = [n for n in walk(each) if isinstance(n, ast.Name) and n.id == name]
        if not names:
            if any(isinstance(n, ast.FunctionDef | ast.Lambda) for n in walk(each)):
                return False
            continue
        match each:
            case ast.Assign(targets=[ast.Name()]):
                return len(names) == 1 and isinstance(names[0].ctx, ast.Store)
        return False
    return False


def _unread_results(statement: ast.stmt, read: set[str]) -> list[ast.Name]:
    """Return the names of a call's results that nothing reads, if another result is read."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()) if "_" not in read:
            names = [each for each in targets if isinstance(each, ast.Name)]
            unread = [each for each in names if each.id not in read and each.id != "_"]
            return unread if len(unread) < len(targets) else []
    return []


def _is_pure(value: ast.expr, *, inputs: bool) -> bool:
    for node in walk(value):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in PURE_METHODS:
                continue
            case ast.Call(func=func):
                called = ast.unparse(func)
                if called not in PURE and not (inputs and RANDOM.fullmatch(called)):
                    return False
            case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.NamedExpr() | ast.Lambda():
                return False
    return True
