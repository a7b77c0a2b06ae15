"""Calls of modules in a side, written as calls of functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.drafting.edits import UNREADABLE, Edits
from ingest.drafting.naming import to_snake_case

# Modules of torch without parameters, and their functions, which take the same keywords.
FUNCTIONS = {
    "CrossEntropyLoss": "cross_entropy", "KLDivLoss": "kl_div", "MSELoss": "mse_loss",
    "NLLLoss": "nll_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss", "SiLU": "silu", "GELU": "gelu", "ReLU": "relu",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "Tanh": "tanh",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Call:
    """A module that a side constructs and calls once. `construction`: without moves to a device."""

    statement: ast.stmt | None
    construction: ast.Call
    call: ast.Call


def write_module_calls(text: str, name: str) -> str:
    """Return the module of code whose function `name` calls functions in place of modules."""
    try:
        for function in ast.parse(text).body:
            if isinstance(function, ast.FunctionDef) and function.name == name:
                for call in _calls(function):
                    written = _of_torch(text, call) or _of_a_class(text, function, call)
                    if written:
                        return written
    except UNREADABLE:
        return text
    return text


def _calls(function: ast.FunctionDef) -> Iterator[_Call]:
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call() as value):
                construction = _without_moves(value)
                uses = [each for each in names if each.id == bound]
                call = _call_of(function, bound)
                if len(uses) == 2 and call is not None and isinstance(construction, ast.Call):
                    yield _Call(statement, construction, call)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
            construction = _without_moves(node.func)
            if isinstance(construction, ast.Call):
                yield _Call(None, construction, node)


def _without_moves(node: ast.expr) -> ast.expr:
    """Return `M(…)` of `M(…).to(x.device).to(x.dtype)`."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"to", "cuda", "float", "eval"}
        and isinstance(node.func.value, ast.Call)
    ):
        node = node.func.value
    return node


def _call_of(function: ast.FunctionDef, name: str) -> ast.Call | None:
    """Return the call of a module: `m(x)`, or `torch.func.functional_call(m, {…}, (x,))`."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return node
            case ast.Call(func=func, args=[ast.Name(id=called), ast.Dict(), ast.Tuple()]) if (
                called == name and ast.unparse(func) == "torch.func.functional_call"
            ):
                return node
    return None


def _of_torch(text: str, call: _Call) -> str:
    """Write `nn.CrossEntropyLoss(reduction="sum")(x, y)` as `F.cross_entropy(x, y, …)`."""
    place, _, last = ast.unparse(call.construction.func).rpartition(".")
    if last not in FUNCTIONS or f"{place}." not in ("torch.nn.", "nn.", "."):
        return ""
    if place == "" and f"from torch.nn import {last}" not in text:
        return ""
    if call.construction.args or not isinstance(call.call.func, ast.Name | ast.Call):
        return ""
    edits = Edits(text)
    given = [edits.of(each) for each in (*call.call.args, *call.call.keywords)]
    given += [edits.of(each) for each in call.construction.keywords]
    # Without a keyword, F.kl_div has the same default, and F.softmax demands its dimension.
    edits.put(call.call, f"torch.nn.functional.{FUNCTIONS[last]}({', '.join(given)})")
    if call.statement is not None:
        edits.drop(call.statement, alone=False)
    written = edits.text()
    return written if "\nimport torch\n" in f"\n{written}" else f"import torch\n{written}"


def _of_a_class(text: str, function: ast.FunctionDef, call: _Call) -> str:
    """Write the forward pass of a small module as a function of its inputs and its attributes."""
    tree = ast.parse(text)
    owner = next(
        (
            node
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            and node.name == ast.unparse(call.construction.func)
            and [ast.unparse(base) for base in node.bases] in (["nn.Module"], ["torch.nn.Module"])
        ),
        None,
    )
    if owner is None or call.statement is None:
        return ""
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    if not {"__init__", "forward"} <= methods.keys():
        return ""
    forward = methods["forward"]
    attributes = _attributes(forward)
    written = f"{to_snake_case(owner.name)}_forward"
    if attributes is None or forward.decorator_list or _is_bound(tree, written):
        return ""
    values = _values(methods["__init__"], call.construction, attributes, _weights(call.call))
    inputs = _inputs(forward, call.call)
    if values is None or inputs is None:
        return ""
    given, parameters = inputs
    locals_ = {node.id for node in ast.walk(forward) if isinstance(node, ast.Name)}
    if set(attributes) & (locals_ | {*parameters}):
        return ""
    own = {id(node) for node in ast.walk(owner)}
    uses = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == owner.name]
    if len([use for use in uses if id(use) not in own]) != 1:
        return ""
    edits = Edits(text)
    texts = [node for node in ast.walk(forward) if isinstance(node, ast.JoinedStr)]
    # Python 3.11 does not tell the places of names in a text with values in braces.
    inside = {id(inner) for each in texts for inner in ast.walk(each)}
    for each in texts:
        edits.put(each, edits.of(each).replace("{self.", "{"))
    for node in ast.walk(forward):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            if id(node) in inside:
                continue
            edits.put(node, node.attr)
    lines = edits.text().split("\n")
    start = forward.body[0].lineno - 1
    margin = " " * forward.col_offset
    body = [line.removeprefix(margin) for line in lines[start : forward.end_lineno]]
    heading = f"def {written}({', '.join([*parameters, *attributes])}):"
    arguments = ", ".join([*given, *(f"{name}={values[name]}" for name in attributes)])
    edits = Edits(text)
    edits.replace(edits.start(owner), edits.end(owner), "\n".join([heading, *body]))
    edits.put(call.call, f"{written}({arguments})")
    edits.drop(call.statement, alone=False)
    return edits.text()


def _is_bound(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        for node in ast.walk(tree)
    )


def _attributes(forward: ast.FunctionDef) -> list[str] | None:
    """Return the attributes that a forward pass reads, or None if it does more with `self`."""
    owners = [n for n in ast.walk(forward) if isinstance(n, ast.Attribute)]
    reads = [n for n in owners if isinstance(n.value, ast.Name) and n.value.id == "self"]
    selves = [n for n in ast.walk(forward) if isinstance(n, ast.Name) and n.id == "self"]
    called = [n.func for n in ast.walk(forward) if isinstance(n, ast.Call)]
    if len(reads) != len(selves) or any(read in called for read in reads):
        return None
    if any(not isinstance(read.ctx, ast.Load) for read in reads):
        return None
    return list(dict.fromkeys(read.attr for read in reads))


def _values(
    init: ast.FunctionDef, call: ast.Call, attributes: list[str], weights: dict[str, str]
) -> dict[str, str] | None:
    """Return the expressions of the attributes: those that `__init__` assigns, of its arguments."""
    places = [each.arg for each in init.args.args[1:]]
    if any(isinstance(each, ast.Starred) for each in call.args) or init.args.kwonlyargs:
        return None
    defaults = dict(
        zip(places[len(places) - len(init.args.defaults) :], init.args.defaults, strict=True)
    )
    given: dict[str, ast.expr] = {**defaults, **dict(zip(places, call.args, strict=False))}
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        given[keyword.arg] = keyword.value
    stored = {
        node.id
        for node in ast.walk(init)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    values: dict[str, str] = {}
    for node in ast.walk(init):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)]):
                if attr in values or node not in init.body:
                    values[attr] = ""
                    continue
                names = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
                plain = isinstance(node.value, ast.Name | ast.Constant)
                if not plain or names & stored or not names <= given.keys():
                    values[attr] = ""
                elif isinstance(node.value, ast.Name):
                    values[attr] = ast.unparse(given[node.value.id])
                else:
                    values[attr] = ast.unparse(node.value)
    values |= weights
    return values if all(values.get(name) for name in attributes) else None


def _weights(call: ast.Call) -> dict[str, str]:
    """Return the values that `functional_call` puts in place of parameters."""
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.args[1], ast.Dict):
        return {}
    pairs = zip(call.args[1].keys, call.args[1].values, strict=True)
    return {
        key.value: ast.unparse(value)
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _inputs(forward: ast.FunctionDef, call: ast.Call) -> tuple[list[str], list[str]] | None:
    """Return the arguments of a call, and the parameters that take them."""
    a = forward.args
    places = [each.arg for each in a.args[1:]]
    if a.vararg or a.kwarg or a.kwonlyargs or call.keywords:
        return None
    arguments = call.args
    if isinstance(call.func, ast.Attribute) and isinstance(call.args[2], ast.Tuple):
        arguments = call.args[2].elts
    defaults = a.defaults[len(a.defaults) - (len(places) - len(arguments)) :] if a.defaults else []
    given = [*arguments, *(defaults if len(arguments) < len(places) else [])]
    if len(given) != len(places):
        return None
    return [ast.unparse(each) for each in given], places
