"""Adapter of attorch: PyTorch's layers in Triton, tested side by side with PyTorch's own."""

from __future__ import annotations

import ast

from ingest.drafting.adapters.adapter import Adapter

SHAPES = ((96,), (768,), (4, 2000), (8, 1024), (8, 960, 196), (64, 768, 128))
"""The shapes of a quick run of the tests with at most three axes."""
ONLY = {
    "amp": "False", "drop_p": "0.0", "input_dtype": "torch.float32", "weighted": "True",
    "elementwise_affine": "True", "bias": "True",
}  # fmt: skip
"""Parameters of which a pair keeps one value. It has neither autocast nor dropout, and all weights.
The tests skip half precision without autocast.
"""
NAMED = ("act_func", "softmax", "p_loss")
"""Parameters that name a layer. A pair has one layer, the first."""


def write_parameters(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Keep only those values of a parameter that a pair can have."""
    match call.args:
        case [ast.Constant(value=str(name)), ast.List(elts=[first, *others])] if others:
            kept = ast.unparse(first) if name in NAMED else ONLY.get(name)
            return f"pytest.mark.parametrize({name!r}, [{kept}])" if kept else None
    return None


def write_shapes(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `default_shapes(min_dim=2)` by these shapes."""
    bounds = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    low, high = bounds.get("min_dim", 0), bounds.get("max_dim", 4)
    return str([shape for shape in SHAPES if low <= len(shape) <= high])


def write_layer(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `getattr(attorch, act_func)` by the layer that the test names first."""
    match call.args:
        case [ast.Name(id="attorch" | "nn" | "F" as module), name] if function:
            layer = _first_value(ast.unparse(name).partition(".")[0], function)
            return f"{module}.{layer}" if layer else None
    return None


def _first_value(name: str, function: ast.FunctionDef) -> str | None:
    """Return the first value of a parameter, if it is a text."""
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
    """Name the function of `attorch.GLU(act_func=act_func)`, as the reference does."""
    match call.keywords:
        case [ast.keyword(arg="act_func", value=ast.Name(id=name))] if function:
            return f"attorch.GLU(act_func={_first_value(name, function)!r})"
    return None


def write_on_device(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Name the device, which is CUDA by default: the interpreter has none."""
    if any(keyword.arg == "device" for keyword in call.keywords):
        return None
    given = ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
    return f"{ast.unparse(call.func)}({given}, device='cuda')"


def write_input(call: ast.Call, function: ast.FunctionDef | None) -> str:
    """Replace `create_input(shape)`. PyTorch's input is a copy: both are made with one seed."""
    original = _first_equal(call, function) if function else None
    if original:
        return f"{original}.detach().clone().requires_grad_()"
    options = [ast.unparse(each) for each in call.keywords if each.arg != "seed"]
    given = ", ".join([ast.unparse(call.args[0]), *options])
    return f"torch.randn({given}, device='cuda', requires_grad=True)"


def _first_equal(call: ast.Call, function: ast.FunctionDef) -> str | None:
    """Return the name that an earlier, equal call is bound to."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as earlier):
                if earlier.lineno < call.lineno and ast.unparse(earlier) == ast.unparse(call):
                    return name
    return None


def write_initial(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace two initializations with one seed by that of PyTorch's layer and a copy of it."""
    weight = ast.unparse(call.args[0])
    if weight.startswith("attorch_"):
        return f"{weight.replace('attorch_', 'pytorch_', 1)}.data.normal_()"
    return f"{weight.replace('pytorch_', 'attorch_', 1)}.data.copy_({weight})"


def write_close(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `assert_close((a, b), …)` by torch's comparison of the first pair of tensors."""
    if function is None or _has_weights_by_seed(function):
        return None
    match call.args:
        case [ast.Tuple(elts=[first, second]), *_]:
            options = [ast.unparse(keyword) for keyword in call.keywords]
            given = ", ".join([ast.unparse(first), ast.unparse(second), *options])
            return f"torch.testing.assert_close({given})"
    return None


def _has_weights_by_seed(function: ast.FunctionDef) -> bool:
    """Return whether layers are constructed with equal weights by a seed alone.

    Such weights are no inputs, and each side would have others.
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
    # The library's own files need no change, and use the names of the constants.
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
