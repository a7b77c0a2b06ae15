"""Calls of modules in a side, written as calls of functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curation.source.text import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.module_attributes import Construction
from ingest.drafting.module_classes import write_class

# Modules of torch without parameters, and their functions, which take the same keywords.
FUNCTIONS = {
    "CrossEntropyLoss": "cross_entropy", "KLDivLoss": "kl_div", "MSELoss": "mse_loss",
    "NLLLoss": "nll_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss", "SiLU": "silu", "GELU": "gelu", "ReLU": "relu",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "Tanh": "tanh",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Call:
    """A module that a side constructs and calls once.

    `statements`: those that construct it and set its weights. `construction`: without its moves to
    a device.
    """

    statements: tuple[ast.stmt, ...]
    construction: ast.Call
    moves: tuple[ast.Call, ...]
    call: ast.Call
    weights: Mapping[str, ast.expr]


@cached
def write_module_calls(text: str, name: str) -> str:
    """Return the module of code whose function `name` calls functions in place of modules."""
    try:
        for function in parse(text).body:
            if isinstance(function, ast.FunctionDef) and function.name == name:
                for call in _calls(function):
                    written = _of_torch(text, call) or _of_a_class(text, call)
                    if written:
                        return written
    except UNREADABLE:
        return text
    return text


def _calls(function: ast.FunctionDef) -> Iterator[_Call]:
    names = [n for n in walk(function) if isinstance(n, ast.Name)]
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call() as value):
                construction, moves = _without_moves(value)
                call = _call_of(function, bound)
                if call is None or not isinstance(construction, ast.Call):
                    continue
                settings = dict(_settings(function, bound))
                uses = [each for each in names if each.id == bound]
                if len(uses) == 2 + len(settings):
                    weights = _weights(call) | dict(settings.values())
                    statements = (statement, *settings)
                    yield _Call(statements, construction, moves, call, weights)
    for node in walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
            construction, moves = _without_moves(node.func)
            if isinstance(construction, ast.Call):
                yield _Call((), construction, moves, node, {})


def _settings(
    function: ast.FunctionDef, module: str
) -> Iterator[tuple[ast.stmt, tuple[str, ast.expr]]]:
    """Yield the statements that set a weight of a module, with its name and value:
    `m.weight.data = w`, perhaps under a condition.
    """
    for statement in function.body:
        match statement:
            case ast.If(test=test, body=[ast.Assign() as inner], orelse=[]):
                if (setting := _setting(inner, module)) is not None:
                    name, value = setting
                    yield statement, (name, ast.IfExp(test, value, ast.Constant(...)))
            case ast.Assign() if (setting := _setting(statement, module)) is not None:
                yield statement, setting


def _setting(statement: ast.Assign, module: str) -> tuple[str, ast.expr] | None:
    match statement.targets:
        case [
            ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr=attr), attr="data")
        ] if owner == module:
            return attr, statement.value
    return None


def _without_moves(node: ast.expr) -> tuple[ast.expr, tuple[ast.Call, ...]]:
    """Return `M(…)` of `M(…).to(x.device).to(x.dtype)`, and the calls of its methods."""
    moves: list[ast.Call] = []
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"to", "cuda", "float", "half", "bfloat16", "eval"}
        and isinstance(node.func.value, ast.Call)
    ):
        moves.insert(0, node)
        node = node.func.value
    return node, tuple(moves)


def _call_of(function: ast.FunctionDef, name: str) -> ast.Call | None:
    """Return the call of a module: `m(x)`, or `torch.func.functional_call(m, {…}, (x,))`."""
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return node
            case ast.Call(
                func=func, args=[ast.Name(id=called), ast.Dict() | ast.DictComp(), ast.Tuple()]
            ) if called == name and ast.unparse(func) == "torch.func.functional_call":
                return node
    return None


def _of_torch(text: str, call: _Call) -> str:
    """Write `nn.CrossEntropyLoss(reduction="sum")(x, y)` as `F.cross_entropy(x, y, …)`."""
    place, _, last = ast.unparse(call.construction.func).rpartition(".")
    if last not in FUNCTIONS or f"{place}." not in ("torch.nn.", "nn.", "."):
        return ""
    if place == "" and f"from torch.nn import {last}" not in text:
        return ""
    if call.construction.args or call.weights:
        return ""
    if not isinstance(call.call.func, ast.Name | ast.Call):
        return ""
    edits = Edits(text)
    given = [edits.of(each) for each in (*call.call.args, *call.call.keywords)]
    given += [edits.of(each) for each in call.construction.keywords]
    # Without a keyword, F.kl_div has the same default, and F.softmax demands its dimension.
    edits.put(call.call, f"torch.nn.functional.{FUNCTIONS[last]}({', '.join(given)})")
    for statement in call.statements:
        edits.drop(statement, alone=False)
    written = edits.text()
    return written if "\nimport torch\n" in f"\n{written}" else f"import torch\n{written}"


def _of_a_class(text: str, call: _Call) -> str:
    """Write the forward pass of a small module as a function of its inputs and its attributes."""
    given: Sequence[ast.expr] = call.call.args
    if isinstance(call.call.func, ast.Attribute):
        inner = call.call.args[2]
        given = inner.elts if isinstance(inner, ast.Tuple) else []
    made = Construction(call.construction, call.moves, call.weights)
    edits = write_class(text, parse(text), made, call.call, given)
    if edits is None:
        return ""
    for statement in call.statements:
        edits.drop(statement, alone=False)
    return edits.text()


def _weights(call: ast.Call) -> dict[str, ast.expr]:
    """Return the values that `functional_call` gives to the parameters of a module.

    None is the value of a parameter that the module does not have.
    """
    if not isinstance(call.func, ast.Attribute):
        return {}
    match call.args[1]:
        case ast.Dict() as state:
            pass
        case ast.DictComp(
            generators=[
                ast.comprehension(iter=ast.Call(func=ast.Attribute(value=ast.Dict() as state)))
            ]
        ):
            pass
        case _:
            return {}
    pairs = zip(state.keys, state.values, strict=True)
    return {
        key.value: value
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }
