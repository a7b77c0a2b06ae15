"""Random weights and biases in `make_inputs`, so that a side which ignores one fails its test."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from curation.source.text import UNREADABLE, Edits, walk
from ingest.drafting.writing.shared_inputs import SharedInputs, read_inputs, read_side

# Index of the argument that determines the number of a layer's weights.
LAYERS = {"LayerNorm": 0, "RMSNorm": 0, "GroupNorm": 1}
SIZES = {"normalized_shape", "num_channels"}
WEIGHT = re.compile(r"(^|_)(w|weight|gamma)(_|$)")
BIAS = re.compile(r"(^|_)(b|bias|beta)(_|$)")


def draw_weights(python: str, triton: str, test: str, name: str) -> str:
    """Return the test with random weights and biases: those of normalizing layers, and those
    created as ones and zeros. `name`: the function of both sides.
    """
    try:
        sides = [each for text in (python, triton) if (each := read_side(text, name))]
        inputs = read_inputs(test, *sides) if len(sides) == 2 else None
        if inputs is None:
            return test
        edits = Edits(test)
        _draw_constants(inputs, edits)
        for block in inputs.blocks():
            for statement in block:
                _draw_layer(statement, block, inputs, edits)
        return edits.text()
    except UNREADABLE:
        return test


def _draw_constants(inputs: SharedInputs, edits: Edits) -> None:
    """Make inputs random: weights of ones, which stay positive, and biases of zeros."""
    for name, value in inputs.values().items():
        if name not in inputs.names or not isinstance(value, ast.Call):
            continue
        if any("int" in ast.unparse(each) for each in value.keywords):
            continue
        called = ast.unparse(value.func)
        if called == "torch.ones" and WEIGHT.search(name):
            edits.put(value.func, "torch.rand")
        elif called == "torch.zeros" and BIAS.search(name):
            edits.put(value.func, "torch.randn")


def _draw_layer(
    statement: ast.stmt, block: Sequence[ast.stmt], inputs: SharedInputs, edits: Edits
) -> None:
    """Make the weight and bias random if a layer is constructed only for these."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=layer)], value=ast.Call() as call):
            dtype = ""
        case _:
            return
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr="to"), args=[given]):
            call, dtype = made, ast.unparse(given)
    kind = ast.unparse(call.func).removeprefix("torch.").removeprefix("nn.")
    if kind not in LAYERS or not _has_weights(call, inputs) or inputs.stores()[layer] != 1:
        return
    named = {each.arg: ast.unparse(each.value) for each in call.keywords if each.arg}
    sizes = [ast.unparse(each) for each in call.args[LAYERS[kind] : LAYERS[kind] + 1]]
    sizes += [value for key, value in named.items() if key in SIZES]
    dtype = dtype or named.get("dtype", "")
    reads: list[ast.expr] = []
    fills: list[ast.stmt] = []
    for each in block:
        match each:
            case ast.Assign(
                targets=[ast.Name()],
                value=ast.Attribute(value=ast.Name(id=owner), attr="weight" | "bias") as read,
            ) if owner == layer:
                reads.append(read)
            case ast.Expr(value=ast.Call(args=[], keywords=[]) as filled):
                if ast.unparse(filled.func) in {
                    f"{layer}.{part}.data.normal_" for part in ("weight", "bias")
                }:
                    fills.append(each)
    uses = [n for n in walk(inputs.function) if isinstance(n, ast.Name) and n.id == layer]
    if not reads or len(sizes) != 1 or len(uses) != 1 + len(reads) + len(fills):
        return
    for place in reads:
        edits.put(place, f"torch.randn({sizes[0]}{', dtype=' * bool(dtype)}{dtype})")
    for each in (statement, *fills):
        edits.drop(each, alone=False)


def _has_weights(call: ast.Call, inputs: SharedInputs) -> bool:
    """Return whether a layer has a weight and a bias in every case, judged by its arguments."""
    values = inputs.values()
    switches = [each.value for each in call.keywords if each.arg in {"elementwise_affine", "bias"}]
    switches += call.args[2:]
    if ast.unparse(call.func).endswith("GroupNorm"):
        switches = call.args[3:] + [each.value for each in call.keywords if each.arg == "affine"]
    for switch in switches:
        value = values.get(switch.id) if isinstance(switch, ast.Name) else switch
        match value:
            case ast.Constant(value=True):
                continue
            case ast.Subscript(value=ast.Name(id="case"), slice=ast.Constant(value=str(key))):
                if all(f"'{key}': True" in ast.unparse(row) for row in inputs.cases):
                    continue
        return False
    return True
