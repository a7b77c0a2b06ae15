"""Adapter of attorch: PyTorch's layers in Triton. Its tests compare them with PyTorch's layers."""

from __future__ import annotations

import ast

from ingest.drafting.adapters.adapter import Adapter

SHAPES = ((96,), (768,), (4, 2000), (8, 1024), (8, 960, 196), (64, 768, 128))
"""Shapes with at most three axes, as in a quick run of the library's tests."""
ONLY = {
    "amp": "False", "drop_p": "0.0", "input_dtype": "torch.float32", "weighted": "True",
    "elementwise_affine": "True", "bias": "True",
}  # fmt: skip
"""Parameters for which a pair keeps one value: no autocast, no dropout, all weights. The tests use
half precision only with autocast.
"""
NAMED = ("act_func", "softmax", "p_loss")
"""Parameters that name a layer. A pair has only the first of these layers."""


def write_parameters(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Reduce the values of a parameter to those that a pair can have."""
    match call.args:
        case [ast.Constant(value=str(name)), ast.List(elts=[first, *others])] if others:
            kept = ast.unparse(first) if name in NAMED else ONLY.get(name)
            return f"pytest.mark.parametrize({name!r}, [{kept}])" if kept else None
    return None


def write_shapes(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `default_shapes(min_dim=2)` by the list of these shapes."""
    bounds = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    low, high = bounds.get("min_dim", 0), bounds.get("max_dim", 4)
    return str([shape for shape in SHAPES if low <= len(shape) <= high])


def write_layer(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `getattr(attorch, act_func)` by the layer that the test's parameter names first."""
    match call.args:
        case [ast.Name(id="attorch" | "nn" | "F" as module), name] if function:
            layer = _first_value(ast.unparse(name).partition(".")[0], function)
            return f"{module}.{layer}" if layer else None
    return None


def _first_value(name: str, function: ast.FunctionDef) -> str | None:
    """Return the first value of a parameter if it is a string, or else None."""
    for node in ast.walk(function):
        match node:
            case ast.Call(
                args=[
                    ast.Constant(value=parameter),
                    ast.List(elts=[ast.Constant(value=str(first)), *_]),
                ]
            ):
                if parameter == name:
                    return first
    return None


def write_gated(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace the variable in `attorch.GLU(act_func=act_func)` by its value."""
    match call.keywords:
        case [ast.keyword(arg="act_func", value=ast.Name(id=name))] if function:
            return f"attorch.GLU(act_func={_first_value(name, function)!r})"
    return None


def write_on_device(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Add the default device "cuda" to the call, so that drafting can replace it."""
    if any(keyword.arg == "device" for keyword in call.keywords):
        return None
    given = ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
    return f"{ast.unparse(call.func)}({given}, device='cuda')"


def write_input(call: ast.Call, function: ast.FunctionDef | None) -> str:
    """Replace `create_input(shape)`. PyTorch's input becomes a copy, as both have one seed."""
    original = _first_equal(call, function) if function else None
    if original:
        return f"{original}.detach().clone().requires_grad_()"
    options = [ast.unparse(each) for each in call.keywords if each.arg != "seed"]
    given = ", ".join([ast.unparse(call.args[0]), *options])
    return f"torch.randn({given}, device='cuda', requires_grad=True)"


def _first_equal(call: ast.Call, function: ast.FunctionDef) -> str | None:
    """Return the name that was assigned the result of an earlier, equal call."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as earlier):
                if earlier.lineno < call.lineno and ast.unparse(earlier) == ast.unparse(call):
                    return name
    return None


def write_initial(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace two initializations with the same seed by one of PyTorch's layer and a copy of it."""
    weight = ast.unparse(call.args[0])
    if weight.startswith("attorch_"):
        return f"{weight.replace('attorch_', 'pytorch_', 1)}.data.normal_()"
    return f"{weight.replace('pytorch_', 'attorch_', 1)}.data.copy_({weight})"


def write_close(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `assert_close((a, b), …)` by torch's comparison of the first two tensors."""
    if function is None or _has_weights_by_seed(function):
        return None
    match call.args:
        case [ast.Tuple(elts=[first, second]), *_]:
            options = [ast.unparse(keyword) for keyword in call.keywords]
            given = ", ".join([ast.unparse(first), ast.unparse(second), *options])
            return f"torch.testing.assert_close({given})"
    return None


def _has_weights_by_seed(function: ast.FunctionDef) -> bool:
    """Return whether layers get equal weights only because they are constructed with the same seed.

    Such weights are not inputs, so each side of the pair would have different weights.
    """
    following = zip(function.body, function.body[1:], strict=False)
    return any(
        ast.unparse(first).startswith("torch.manual_seed") and isinstance(second, ast.Assign)
        for first, second in following
    )


def write_gradient(call: ast.Call, function: ast.FunctionDef | None) -> str:
    return f"torch.randn_like({ast.unparse(call.args[0])})"


ATTORCH = Adapter(
    package="attorch",
    # The library's own files are not changed, because they use the names of the constants.
    skipped=("/attorch/",),
    unwrapped=frozenset({"autocast"}),
    constants={
        "subset": False,
        "drop_p > 0.0": False,
        "weighted": True,
        "elementwise_affine": True,
        "bias": True,
    },
    calls={
        "pytest.mark.parametrize": write_parameters,
        "default_shapes": write_shapes,
        "getattr": write_layer,
        "attorch.GLU": write_gated,
        "attorch.LayerNorm": write_on_device,
        "attorch.RMSNorm": write_on_device,
        "create_input": write_input,
        "create_input_like": write_gradient,
        "init.normal_": write_initial,
        "assert_close": write_close,
    },
)
