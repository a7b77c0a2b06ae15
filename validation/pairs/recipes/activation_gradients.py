"""Activations and gated linear units with custom forward and backward functions."""

from __future__ import annotations

from dataclasses import dataclass

from validation.pairs.recipes.gradients import DTYPES, ROWS
from validation.pairs.recipes.prepared import Preparation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch


@dataclass(frozen=True, slots=True)
class DifferentiableActivation:
    """An activation with its derivative; `{x}` is the input."""

    name: str
    phrase: str
    gated_name: str
    torch: str
    docstring: str
    forward: tuple[str, ...]
    backward: tuple[str, ...]


_SIGMOID = "s = tl.sigmoid({x})"
_TANH_FORM = "s = tl.sigmoid(1.5957691216057308 * ({x} + 0.044715 * {x} * {x} * {x}))"
DIFFERENTIABLE = (
    DifferentiableActivation(
        "silu", "SiLU", "swiglu", "F.silu({x})", "SiLU: x times its sigmoid.",
        ("return {x} * tl.sigmoid({x})",),
        (_SIGMOID, "return s * (1.0 + {x} * (1.0 - s))"),
    ),
    DifferentiableActivation(
        "gelu", "GELU", "geglu", "F.gelu({x})", "GELU: x times the normal distribution up to x.",
        ("return 0.5 * {x} * (1.0 + tl.erf({x} * 0.7071067811865476))",),
        (
            "cdf = 0.5 * (1.0 + tl.erf({x} * 0.7071067811865476))",
            "pdf = 0.3989422804014327 * tl.exp(-0.5 * {x} * {x})",
            "return cdf + {x} * pdf",
        ),
    ),
    DifferentiableActivation(
        "gelu_tanh", "GELU (tanh form)", "geglu_tanh", 'F.gelu({x}, approximate="tanh")',
        "GELU (tanh form): 0.5 * (1 + tanh(z)) is the sigmoid of 2 z.",
        (_TANH_FORM, "return {x} * s"),
        (
            _TANH_FORM,
            "inner = 1.5957691216057308 * (1.0 + 0.134145 * {x} * {x})",
            "return s + {x} * s * (1.0 - s) * inner",
        ),
    ),
    DifferentiableActivation(
        "relu_squared", "squared ReLU", "squared_reglu", "F.relu({x}).square()",
        "Squared ReLU.",
        ("positive = fmax({x}, 0.0)", "return positive * positive"),
        ("return 2.0 * fmax({x}, 0.0)",),
    ),
    DifferentiableActivation(
        "quick_gelu", "the quick GELU", "quick_geglu", "{x} * torch.sigmoid(1.702 * {x})",
        "Quick GELU, as CLIP has it.",
        ("return {x} * tl.sigmoid(1.702 * {x})",),
        ("s = tl.sigmoid(1.702 * {x})", "return s * (1.0 + 1.702 * {x} * (1.0 - s))"),
    ),
    DifferentiableActivation(
        "sigmoid", "the sigmoid", "glu", "torch.sigmoid({x})", "Sigmoid.",
        ("return tl.sigmoid({x})",),
        (_SIGMOID, "return s * (1.0 - s)"),
    ),
)  # fmt: skip


CLASS_NAMES = {
    "silu": "SiLU", "gelu": "GELU", "relu": "ReLU", "swiglu": "SwiGLU", "geglu": "GeGLU",
    "reglu": "ReGLU", "glu": "GLU",
}  # fmt: skip


def _activation(
    activation: DifferentiableActivation, form: str, walk: str, dtypes: tuple[str, ...]
) -> Sketch:
    gated = form != "one"
    names = {"one": ("x",), "two": ("gate", "up"), "packed": ("x",)}[form]
    name = activation.gated_name if gated else activation.name
    wide = dtypes == ("float32",)
    cast = "" if wide else ".float()"
    called = activation.torch.format(x="gate" if gated else "x")
    if form == "one":
        python = (*(() if wide else ("dtype = x.dtype", "x = x.float()")), f"return {called}")
        summary = f"Apply {activation.phrase} to each element"
    else:
        opening = (
            f"gate, up = x{cast}.chunk(2, dim=-1)"
            if form == "packed"
            else "gate, up = gate.float(), up.float()"
        )
        python = (
            *(() if wide else (f"dtype = {names[0]}.dtype",)),
            *(() if wide and form == "two" else (opening,)),
            f"return {called} * up",
        )
        of = (
            "of the first half of each row by the second half"
            if form == "packed"
            else ("of a gate by a second tensor")
        )
        summary = f"Multiply the {activation.phrase.removeprefix('the ')} {of}"
    if not wide:
        last = python[-1].removeprefix("return ")
        python = (*python[:-1], f"return ({last}).to(dtype)")
    tile = ((8, 128, 4), (16, 256, 4), (32, 256, 8))
    line = ((512, 4), (1024, 4), (2048, 8))
    width = "2 * cols" if form == "packed" else "cols"
    return Sketch(
        entry_point=name,
        summary=f"{summary}, forward and backward.",
        operation_type="element-wise",
        tags=("activation", name.replace("_", "-"), "backward"),
        triton="activation_gradients",
        python=python,
        arguments=tuple(map(Argument, names)),
        sizes=ROWS,
        differentiable=True,
        values={
            "class_name": "".join(CLASS_NAMES.get(part, part.title()) for part in name.split("_")),
            "configs": tuple(({"BLOCK_M": m, "BLOCK_N": n}, warps, 1) for m, n, warps in tile)
            if walk == "tile"
            else tuple(({"BLOCK_SIZE": size}, warps, 1) for size, warps in line),
            "why": (
                "Eight to 32 values a thread keep enough loads in flight."
                if walk == "tile"
                else "Four to eight values a thread: wide loads, and few registers.",
            ),
            },
        perf=({"rows": 4096, "cols": 14336, "dtype": "bfloat16"},),
        inputs=Preparation(
                lines=(
                    *(
                        f"{name} = torch.randn((rows, {width}), generator=generator).to(dtype)"
                        for name in names
                    ),
                    "return (laid_out(x),)" if len(names) == 1
                    else "return laid_out(gate), laid_out(up)",
                ),
                timed_for="The feed-forward layer of Llama 3 8B for 4,096 tokens.",
            ),
    )  # fmt: skip


ACTIVATION_GRADIENT_RECIPES = (
    Recipe(
        "activation-with-gradients",
        _activation,
        activation=DIFFERENTIABLE,
        form=("one", "two", "packed"),
        walk=("row", "tile", "flat"),
        dtypes=DTYPES,
    ),
)
