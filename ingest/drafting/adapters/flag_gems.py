"""Adapter of FlagGems, whose `use_gems()` replaces operations of torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from ingest.drafting.adapters.adapter import (
    Adapter,
    Library,
    RegisteredLauncher,
    Written,
    read_stand_in,
)
from ingest.drafting.adapters.pointwise import NotWritable, read_pointwise, write_pointwise
from ingest.drafting.adapters.tuned import write_configurations

FOLDERS = ("ops", "fused")
SETTINGS = "runtime/backend/_nvidia"

# Registered functions that torch's users call by another name, with the index into the result.
NAMES = {
    "_softmax": ("softmax", ""),
    "_log_softmax": ("log_softmax", ""),
    "native_layer_norm": ("layer_norm", "[0]"),
    "std.correction": ("std", ""),
    "log_sigmoid": ("logsigmoid", ""),
    "_unique2": ("unique", ""),
}
NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])
SHIM = "from flag_gems.utils import device_functions as tl_extra_shim"
DEVICE = "('cuda' if torch.cuda.is_available() else 'cpu')"
# Functions of torch that call a registered one with other arguments, each with the launcher's call.
REDUCTION = "{{'none': 0, 'mean': 1, 'sum': 2}}[{reduction}]"
COMPOSED = {
    "amax(input, dim=None, keepdim=False)": "amax({input}, {dim:list}, {keepdim})",
    "sum.dim_IntList(input, dim, keepdim=False, *, dtype=None)":
    "sum_dim({input}, {dim:list}, {keepdim}, dtype={dtype})",
    "mean.dim(input, dim, keepdim=False, *, dtype=None)":
    "mean_dim({input}, {dim:list}, {keepdim}, dtype={dtype})",
    "var_mean.correction(input, dim=None, *, correction=None, keepdim=False)":
    "var_mean({input}, {dim:list}, correction={correction}, keepdim={keepdim})",
    "linalg_vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None)":
    "vector_norm({x}, {ord}, {dim:list}, {keepdim}, {dtype})",
    "clamp(input, min=None, max=None)": "clamp({input}, {min}, {max})",
    "clamp.Tensor(input, min=None, max=None)": "clamp_tensor({input}, {min}, {max})",
    "clamp_min.Scalar(input, min)": "clamp_min({input}, {min})",
    "group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)": "group_norm({input}, "
    "{weight}, {bias}, {input}.shape[0], {input}.shape[1], {input}.shape[2:].numel(), "
    "{num_groups}, {eps})[0]",
    "batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, "
    "momentum=0.1, eps=1e-05)": "batch_norm({input}, {weight}, {bias}, {running_mean}, "
    "{running_var}, {training}, {momentum}, {eps})[0]",
    "nll_loss(input, target, weight=None, *, ignore_index=-100, reduction='mean')":
    f"nll_loss_forward({{input}}, {{target}}, {{weight}}, {REDUCTION}, {{ignore_index}})[0]",
    "mse_loss(input, target, *, reduction='mean')":
    f"mse_loss({{input}}, {{target}}, {REDUCTION})",
    "embedding(input, weight, padding_idx=-1, *, scale_grad_by_freq=False, sparse=False)":
    "embedding({weight}, {input}, {padding_idx}, {scale_grad_by_freq}, {sparse})",
}  # fmt: skip
# Launchers that make no pair. flip reads a view with negative strides, which torch does not have.
# The results of the others do not depend on a tensor's values.
LEFT_OUT = {
    "flip", "arange", "arange_start", "eye", "eye_m", "fill_scalar", "fill_scalar_", "fill_tensor",
    "fill_tensor_", "full", "full_like", "linspace", "logspace", "ones", "ones_like", "zeros",
    "zeros_like",
}  # fmt: skip
# Names of random operations. The results of two calls never agree.
RANDOM = ("rand", "normal", "uniform", "exponential", "multinomial", "dropout")


def find_launchers(library: Library) -> list[RegisteredLauncher]:
    """Return the launchers in the table of the package's `enable`: `("add.Tensor", add)`."""
    places: dict[str, tuple[str, ast.arguments]] = {}
    for folder in FOLDERS:
        for path in library.files(folder):
            for node in library.module(path).body:
                if isinstance(node, ast.FunctionDef):
                    places.setdefault(node.name, (f"flag_gems.{folder}.{node.name}", node.args))
    launchers = [
        read_composed(function, call, places)
        for function, call in COMPOSED.items()
        if call.partition("(")[0] in places
    ]
    for entry in ast.walk(library.module("__init__.py")):
        match entry:
            case ast.Tuple(elts=[ast.Constant(value=str(registered)), ast.Name(id=name)]):
                if name not in places or name in LEFT_OUT or registered.startswith(RANDOM):
                    continue
                torch_name, _, overload = registered.partition(".")
                known, result = NAMES.get(registered, NAMES.get(torch_name, (torch_name, "")))
                launchers.append(RegisteredLauncher(known, overload, *places[name], result))
    return launchers


def read_composed(
    function: str, call: str, places: Mapping[str, tuple[str, ast.arguments]]
) -> RegisteredLauncher:
    """Return the launcher for a function of torch that calls a registered function."""
    heading, _, parameters = function.partition("(")
    operation, _, overload = heading.partition(".")
    written = ast.parse(f"lambda {parameters[:-1]}: 0", mode="eval").body
    arguments = written.args if isinstance(written, ast.Lambda) else NO_ARGUMENTS
    name, _, rest = call.partition("(")
    path = places[name][0]
    return RegisteredLauncher(operation, overload, path, arguments, call=f"{path}({rest}")


def write_pointwise_dynamic(
    function: ast.FunctionDef, decorator: ast.expr, module: ast.Module, library: Library
) -> Written | None:
    """Return the code of an operation that `pointwise_dynamic` builds from a scalar function."""
    bound = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    plain = function.name.removesuffix("_func").removesuffix("_kernel")
    scalar, kernel = (
        form.format(plain if form.format(plain) not in bound else function.name)
        for form in ("compute_{}", "{}_kernel")
    )
    in_place = function.name in find_written_to(library)
    named = any(_names_output(node, function.name) for node in ast.walk(module))
    try:
        op = read_pointwise(function, decorator, scalar, kernel, in_place or named)
        op = replace(op, outputs=("out",)) if named and len(op.outputs) == 1 else op
        return Written(write_pointwise(op), scalar, kernel)
    except NotWritable:
        return None


def _names_output(node: ast.AST, function: str) -> bool:
    """Return whether a node is a call of the function with the keyword `out`."""
    match node:
        case ast.Call(func=ast.Name(id=name), keywords=keywords) if name == function:
            return any(keyword.arg == "out" for keyword in keywords)
    return False


@lru_cache(maxsize=4)
def find_written_to(library: Library) -> frozenset[str]:
    """Return the operations that some call gives a tensor to write to: `f(x, out0=y)`."""
    names: set[str] = set()
    for folder in FOLDERS:
        for path in library.files(folder):
            text = library.text(path)
            nodes = ast.walk(library.module(path)) if "out0=" in text else ()
            for node in nodes:
                if isinstance(node, ast.Call) and any(k.arg == "out0" for k in node.keywords):
                    names |= {one.id for one in ast.walk(node.func) if isinstance(one, ast.Name)}
                # `g = f.instantiate(rank)` may be called with `out0` later.
                if isinstance(node, ast.Attribute) and node.attr == "instantiate":
                    names |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return frozenset(names)


def write_instance(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace `f.instantiate(rank)` by `f`, because the new code accepts any rank."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else None


def _named(call: ast.Call, end: str) -> str | None:
    match call:
        case ast.Call(args=[ast.Constant(value=str(name))]):
            return f"runtime.{_constant(name, end)}"
    return None


def write_tuned(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace `runtime.get_tuned_config("mm")` by `runtime.MM_CONFIGS`."""
    return _named(call, "configs")


def write_heuristics(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace `runtime.get_heuristic_config("mm")` by `runtime.MM_HEURISTICS`."""
    return _named(call, "heuristics")


def _constant(name: str, end: str) -> str:
    return f"{name.strip('_')}_{end}".upper()


def write_overlays(library: Library) -> dict[str, str]:
    """Return the definitions that replace the library's runtime and its tests' options."""
    settings = [read_stand_in("flag_gems/runtime.py")]
    tuned = write_configurations(library.text(f"{SETTINGS}/tune_configs.yaml"))
    settings += [f"{_constant(name, 'configs')} = {configs}" for name, configs in tuned.items()]
    heuristics = library.module(f"{SETTINGS}/heuristics_config_utils.py")
    for node in heuristics.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="HEURISTICS_CONFIGS")], value=ast.Dict() as table):
                for key, value in zip(table.keys, table.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        name = _constant(key.value, "heuristics")
                        settings.append(f"{name} = {_listed(value)}")
    if any(isinstance(node, ast.FunctionDef) for node in heuristics.body):
        names = [node.name for node in heuristics.body if isinstance(node, ast.FunctionDef)]
        where = "flag_gems.runtime.backend._nvidia.heuristics_config_utils"
        settings.insert(1, f"from {where} import {', '.join(names)}")
    return {
        "flag_gems/runtime/__init__.py": "\n\n".join(settings),
        "flag_gems/utils/device_functions.py": read_stand_in("flag_gems/device_functions.py"),
        "flag_gems/utils/triton_lang_helper.py": SHIM,
        "flag_gems/utils/triton_lang_extension.py": read_stand_in("flag_gems/division.py"),
        "flag_gems/utils/limits.py": read_stand_in("flag_gems/limits.py"),
        "flag_gems/utils/tensor_wrapper.py": read_stand_in("flag_gems/tensor_wrapper.py"),
        "tests/accuracy_utils.py": read_stand_in("flag_gems/accuracy_utils.py"),
        "tests/conftest.py": read_stand_in("flag_gems/conftest.py"),
    }


def _listed(value: ast.expr) -> str:
    """Return the source of a dictionary with one entry on each line."""
    if not isinstance(value, ast.Dict):
        return ast.unparse(value)
    pairs = zip(value.keys, value.values, strict=True)
    entries = [
        f'    "{key.value}": {ast.unparse(value)},\n'
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]
    return "{\n" + "".join(entries) + "}"


def write_reference(call: ast.Call, function: ast.FunctionDef | None) -> str | None:
    """Replace `to_reference(x, True)` by `x.double()`, and `to_reference(x)` by `x`."""
    wide = [*call.args[1:], *(k.value for k in call.keywords if k.arg == "upcast")]
    if len(call.args) not in {1, 2} or not all(isinstance(one, ast.Constant) for one in wide):
        return None
    tensor = ast.unparse(call.args[0])
    if not any(isinstance(one, ast.Constant) and one.value is True for one in wide):
        return tensor
    if function is not None and _may_be_none(tensor, function):
        return f"None if {tensor} is None else {tensor}.double()"
    if isinstance(call.args[0], ast.IfExp):
        return None
    simple = isinstance(call.args[0], ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return f"{tensor if simple else f'({tensor})'}.double()"


def _may_be_none(name: str, function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Assign)
        and name in {ast.unparse(one) for target in node.targets for one in ast.walk(target)}
        and any(isinstance(one, ast.Constant) and one.value is None for one in ast.walk(node.value))
        for node in ast.walk(function)
    )


def write_close(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace `gems_assert_close(res, ref, dtype, reduce_dim=n)` by torch's own comparison. The
    error that the library allows grows with the number of added values.
    """
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if len(call.args) < 2 or not named.keys() <= {"dtype", "equal_nan", "reduce_dim", "atol"}:
        return None
    absolute = ast.unparse(named["atol"]) if "atol" in named else "1e-4"
    if "reduce_dim" in named:
        absolute = f"{absolute} * ({ast.unparse(named['reduce_dim'])})"
    compared = ", ".join(ast.unparse(side) for side in call.args[:2])
    equal = f", equal_nan={ast.unparse(named['equal_nan'])}" if "equal_nan" in named else ""
    return f"torch.testing.assert_close({compared}, atol={absolute}{equal})"


def write_program_id(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace `tle.program_id(0)` by Triton's `program_id`, converted to 64 bits."""
    return f"tl.{ast.unparse(call.func).rpartition('.')[2]}({_given(call)}).to(tl.int64)"


def _given(call: ast.Call, function: ast.FunctionDef | None = None) -> str:
    return ", ".join(map(ast.unparse, [*call.args, *(keyword.value for keyword in call.keywords)]))


def write_seeding(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace the seeding of a generator by torch's. Drafting removes that from helpers."""
    return f"torch.manual_seed({ast.unparse(call.args[0])})" if call.args else None


def write_root(call: ast.Call, function: ast.FunctionDef | None = None) -> str | None:
    """Replace NumPy's square root, because a test must run without NumPy."""
    return f"({_given(call)}) ** 0.5"


FLAG_GEMS = Adapter(
    package="flag_gems",
    skipped=("/runtime/backend/",),
    data=("**/tune_configs.yaml",),
    contexts=frozenset({"flag_gems.use_gems"}),
    launchers=find_launchers,
    unwrapped=frozenset({"torch_device_fn.device"}),
    dropped=frozenset({"libentry", "use_tl_extra"}),
    written={"pointwise_dynamic": write_pointwise_dynamic},
    constants={
        "TO_CPU": False,
        "QUICK_MODE": False,
        "RECORD_LOG": False,
        "flag_gems.vendor_name": "nvidia",
        "vendor_name": "nvidia",
        "A.device != B.device": False,
        # The kernels compute in single precision anyway.
        "fp64_is_supported": False,
        # The interpreter would add two bfloat16 as if their bits were integers.
        "bf16_is_supported": False,
        "int64_is_supported": True,
    },
    calls={
        "runtime.get_tuned_config": write_tuned,
        "runtime.get_heuristic_config": write_heuristics,
        "to_reference": write_reference,
        "gems_assert_close": write_close,
        "tle.program_id": write_program_id,
        "tle.num_programs": write_program_id,
        "*.instantiate": write_instance,
        "set_philox_state": write_seeding,
        "np.float32": _given,
        "np.sqrt": write_root,
    },
    expressions={
        "device.name": DEVICE,
        "device_.name": DEVICE,
        "runtime.device.name": DEVICE,
        "flag_gems.device": "'cuda'",
    },
    overlays=write_overlays,
)
