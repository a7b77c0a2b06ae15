"""Judgment of a whole draft: whether its two sides compute one result from the same inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from curation.source.text import UNREADABLE, parse, walk
from ingest.drafting.outcomes import DraftTexts
from ingest.drafting.shared_inputs import SharedInputs, Side, read_inputs, read_side
from ingest.drafting.slices import RANDOM

UNFILLED = {"empty", "empty_like"}
# Functions of torch that tell one property of each value.
PROPERTIES = {"signbit", "sign", "isnan", "isinf", "isfinite"}
LAYERS = {"Linear", "Conv1d", "Conv2d", "Embedding", "LayerNorm"}


def why_not_comparable(texts: DraftTexts, name: str) -> str:
    """Return why the two sides of a draft are no pair, or ""."""
    try:
        python, triton = read_side(texts.python_code, name), read_side(texts.triton_code, name)
        if python is None or triton is None:
            return ""
        inputs = read_inputs(texts.test_code, python.function, triton.function)
        drawing = next(_drawing(python.text), "")
        rebound = _rebound_module(texts.test_code)
    except UNREADABLE:
        return ""
    if rebound:
        return f"Its inputs give the name of the module {rebound} to a value of their own."
    if drawing:
        return f"Its reference draws values of its own, in {drawing}."
    if _returns_unfilled(python.function):
        return "Its reference returns memory that nothing is written to."
    properties = _outermost(python.function), _outermost(triton.function)
    if properties[0] in PROPERTIES and properties[0] == properties[1]:
        return f"It compares only {properties[0]} of the answers."
    if inputs is not None and not _share_a_tensor(python, triton, inputs):
        return "The two sides read no tensor in common."
    return ""


def _rebound_module(text: str) -> str:
    """Return a module that `make_inputs` binds anew, so that it can't be read above that, or ""."""
    tree = parse(text)
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for statement in tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    }
    bound = {
        node.id
        for function in tree.body
        if isinstance(function, ast.FunctionDef) and function.name == "make_inputs"
        for node in walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return min(imported & bound, default="")


def _drawing(text: str) -> Iterator[str]:
    """Yield the values that a module draws when it is imported: each side would have others."""
    for statement in parse(text).body:
        if not isinstance(statement, ast.Assign):
            continue
        for node in walk(statement):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                place, _, last = called.rpartition(".")
                if (place == "torch" and last in RANDOM) or (
                    place in {"nn", "torch.nn"} and last in LAYERS
                ):
                    yield called


def _returns_unfilled(function: ast.FunctionDef) -> bool:
    """Return whether a result is allocated memory: `torch.empty(n)[places]`."""
    returned = [n.value for n in walk(function) if isinstance(n, ast.Return) and n.value]
    if len(returned) != 1:
        return False
    results = returned[0].elts if isinstance(returned[0], ast.Tuple) else [returned[0]]
    return any(_is_unfilled(each) for each in results)


def _is_unfilled(node: ast.expr) -> bool:
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr)):
                return attr in UNFILLED
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if not attr.endswith("_"):
                node = value
            case ast.Subscript(value=value):
                node = value
            case _:
                return False


def _outermost(function: ast.FunctionDef) -> str:
    """Return the function of torch whose result a side returns, or ""."""
    match function.body[-1]:
        case ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr))):
            return attr
    return ""


def _share_a_tensor(python: Side, triton: Side, inputs: SharedInputs) -> bool:
    """Return whether some input that is no plain value is read by both sides."""
    shared = [
        inner
        for parameter, inner in inputs.handed.items()
        if python.reads(parameter) and triton.reads(parameter)
    ]
    return any(not _is_plain(inner, inputs) for inner in shared)


def _is_plain(name: str, inputs: SharedInputs) -> bool:
    """Return whether every value of an input is certainly a Python number."""
    values = inputs.assigned(name)
    loops = [
        node.iter
        for node in walk(inputs.function)
        if isinstance(node, ast.For)
        and any(isinstance(n, ast.Name) and n.id == name for n in walk(node.target))
    ]
    if not values and not loops:
        return False
    return all(map(_is_number, values)) and all(
        isinstance(each, ast.Call) and ast.unparse(each.func) == "range" for each in loops
    )


def _is_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant():
            return True
        case ast.Subscript(value=ast.Name(id="case")):
            return True
        case ast.Call(func=ast.Attribute(attr="item"), args=[]):
            return True
        case ast.Call(func=ast.Name(id="int" | "float" | "len")):
            return True
    return False
