"""Marks of the inputs whose gradients a pair compares.

A cut test detaches the other inputs in both sides. `requires_grad_()` in `make_inputs` says the
same in one place, and the sides read as their users would write them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.conversions import find_whole_numbers
from ingest.drafting.outcomes import DraftTexts
from ingest.drafting.readable import ELEMENTWISE
from ingest.drafting.readable import KEEPING as KEEPING_SHAPES
from ingest.drafting.shared_inputs import SharedInputs, Side, read_inputs, read_side

# Functions of torch that return floats, if no type is given.
ALLOCATING = {"randn", "rand", "empty", "zeros", "ones", "randn_like", "rand_like", "linspace"}
KEEPING = {*KEEPING_SHAPES, "view", "reshape", "transpose", "permute", "exp", "log", "neg",
           "softmax", "log_softmax", "square", "sqrt", "uniform", "clamp", "mul_"} - {
    "int", "long"}  # fmt: skip
WHOLE = re.compile(r"torch\.(u?int\d+|long|bool)\b")
LEAVES = re.compile(r"\n\ndef leaves\(inputs\):\n(?:(?: .*)?\n)+?(?=\n\n\S)")


def mark_graded(texts: DraftTexts, name: str) -> DraftTexts:
    """Return the texts whose sides, of the name `name`, detach no input, and whose `make_inputs`
    requires the compared gradients. If the kind of an input is unknown, nothing changes.
    """
    if ".detach()" not in texts.triton_code or not LEAVES.search(texts.test_code):
        return texts
    try:
        python, triton = read_side(texts.python_code, name), read_side(texts.triton_code, name)
        if python is None or triton is None:
            return texts
        inputs = read_inputs(texts.test_code, python.function, triton.function)
        if inputs is None:
            return texts
        detached = _detached(python), _detached(triton)
        if not any(detached):
            return texts
        for parameter in inputs.handed:
            reads = [
                parameter not in gone and side.reads(parameter)
                for side, gone in zip((python, triton), detached, strict=True)
            ]
            if any(parameter in gone for gone in detached) and any(reads):
                return texts
        graded = _find_graded(inputs, set().union(*detached), texts.test_code)
        if not graded:
            return texts
        test = _marked(texts.test_code, inputs, graded)
        return DraftTexts(_without(python, detached[0]), _without(triton, detached[1]), test)
    except UNREADABLE:
        return texts


def _detached(side: Side) -> dict[str, ast.stmt]:
    """Return the parameters that a side detaches before all else, with the statements."""
    statements: dict[str, ast.stmt] = {}
    for statement in side.function.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if ast.unparse(value) in {
                f"{name}.detach()",
                f"{name}.detach() if isinstance({name}, torch.Tensor) else {name}",
            }:
                statements[name] = statement
            case _:
                break
    return statements


def _find_graded(inputs: SharedInputs, detached: set[str], test: str) -> list[str]:
    """Return the names in `make_inputs` that take gradients, or none if a kind is unknown."""
    whole = find_whole_numbers(parse(test))
    values = inputs.values()
    graded: list[str] = []
    for parameter, inner in inputs.handed.items():
        floating = _is_floating(values.get(inner), values)
        if not floating and inner not in whole and not _is_plain(inner, inputs):
            return []
        if floating and parameter not in detached:
            graded.append(inner)
    return graded


def _is_floating(value: ast.expr | None, known: Mapping[str, ast.expr]) -> bool:
    """Return whether a value is certainly a tensor of floats, and no parameter of a module."""
    match value:
        case ast.Name(id=name) if name in known:
            return _is_floating(known[name], {k: v for k, v in known.items() if k != name})
        case ast.BinOp(left=left, right=right):
            return _is_floating(left, known) or _is_floating(right, known)
        case ast.Subscript(value=inner):
            return _is_floating(inner, known)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "F"), attr=attr), args=args):
            if attr in ALLOCATING:
                return not WHOLE.search(ast.unparse(value))
            return attr in ELEMENTWISE and bool(args) and _is_floating(args[0], known)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in KEEPING:
            return _is_floating(inner, known) and not WHOLE.search(ast.unparse(value))
    return False


def _is_plain(name: str, inputs: SharedInputs) -> bool:
    """Return whether every value of a name is a number, a text or None."""
    values = inputs.assigned(name)
    return bool(values) and all(
        isinstance(each, ast.Constant) or ast.unparse(each).startswith(("case[", "getattr(torch"))
        for each in values
    )


def _marked(test: str, inputs: SharedInputs, graded: list[str]) -> str:
    edits = Edits(test)
    for node in walk(inputs.function.body[-1]):
        if isinstance(node, ast.Name) and node.id in graded:
            edits.put(node, f"{node.id}.requires_grad_()")
    marked = LEAVES.sub("", edits.text())
    return re.sub(r"\bleaves\((make_inputs\(case, device\))\)", r"\1", marked)


def _without(side: Side, detached: Mapping[str, ast.stmt]) -> str:
    edits = Edits(side.text)
    for statement in detached.values():
        edits.drop(statement, alone=False)
    return edits.text()
