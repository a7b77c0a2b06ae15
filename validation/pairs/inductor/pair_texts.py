"""The Triton text of a pair from Inductor, and the pair's test with the compiled cases."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from validation.pairs.inductor import Unwritable, device_functions
from validation.pairs.inductor.launcher import body
from validation.pairs.inductor.plain_kernels import CompiledKernel, read_kernel
from validation.pairs.recipes.layout import tidy

IMPORTS = ("import torch", "import triton", "import triton.language as tl")


def triton_code(python_code: str, entry_point: str, traced: Mapping[str, Any]) -> str:
    """Return a Triton module whose launcher has the reference's name and parameters."""
    module = ast.parse(traced["module"])
    kernels = _kernels(module, entry_point)
    reference = _function(python_code, entry_point)
    parameters = [argument.arg for argument in reference.args.args]
    numbers = _defaults(reference) | {
        parameters[int(place)]: value for place, value in traced["numbers"].items()
    }
    tensors = [name for name in parameters if name not in numbers]
    lines = body(module, kernels, tensors, traced["single"])
    if not kernels:
        raise Unwritable("no kernel")
    if any(entry_point in kernel.helpers for kernel in kernels.values()):
        raise Unwritable(f"{entry_point} is also what its kernel calls")
    parts = ["\n".join(IMPORTS), *_definitions(list(kernels.values()))]
    launcher = [
        f"def {entry_point}({ast.unparse(reference.args)}):",
        *([f'"""{first}"""'] if (first := _summary(reference)) else []),
        *_checks(numbers),
        *lines,
    ]
    parts.append("\n    ".join(launcher))
    return tidy("\n\n\n".join(parts) + "\n")


def _definitions(kernels: Sequence[CompiledKernel]) -> list[str]:
    """Return function definitions in an order in which each precedes its first call."""
    steps: dict[str, str] = {}
    for kernel in kernels:
        if any(steps.get(name, text) != text for name, text in kernel.steps.items()):
            raise Unwritable("two scans whose steps share a name")
        steps.update(kernel.steps)
    used = {name for kernel in kernels for name in kernel.helpers}
    texts = [ast.unparse(kernel.definition) for kernel in kernels]
    return [*device_functions.spelled_out(used), *steps.values(), *texts]


def _checks(numbers: Mapping[str, Any]) -> list[str]:
    return [
        line
        for name, value in numbers.items()
        for line in (
            f"if {name} != {value!r}:",
            f'    raise ValueError("Compiled for {name} = {value!r}.")',
        )
    ]


def _kernels(module: ast.Module, entry_point: str) -> dict[str, CompiledKernel]:
    """Return the kernels by Inductor's name. They are renamed after the function."""
    kernels: dict[str, CompiledKernel] = {}
    for node in module.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Attribute(attr="triton"), args=[_, ast.Constant(value=str(source)), *_]
                ),
            ):
                number = f"_{len(kernels)}" if kernels else ""
                kernels[name] = read_kernel(source, f"{entry_point}_kernel{number}")
    return kernels


def _function(text: str, name: str) -> ast.FunctionDef:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            if node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
                raise Unwritable("parameters that are not positional")
            return node
    raise Unwritable(f"no function {name}")


def _defaults(function: ast.FunctionDef) -> dict[str, Any]:
    """Return the parameter defaults that Inductor compiled in. The test does not pass them."""
    defaults = function.args.defaults
    parameters = function.args.args[len(function.args.args) - len(defaults) :]
    return {
        argument.arg: ast.literal_eval(default)
        for argument, default in zip(parameters, defaults, strict=True)
    }


def _summary(function: ast.FunctionDef) -> str:
    return (ast.get_docstring(function) or "").partition("\n")[0].replace('"""', "")


def test_code(text: str, cases: str) -> str:
    """Return the test with other cases. `cases`: the list's text, which may be hostile."""
    new = [repr(case).replace("'", '"') for case in ast.literal_eval(cases)]
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CASES":
            lines = text.splitlines()
            case_lines = ["CASES = [", *(f"    {case}," for case in new), "]"]
            end = node.end_lineno or node.lineno
            return "\n".join([*lines[: node.lineno - 1], *case_lines, *lines[end:]]) + "\n"
    raise Unwritable("a test without CASES")
