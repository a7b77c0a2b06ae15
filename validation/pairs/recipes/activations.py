"""Activations after a product, in PyTorch and as statements on a float32 accumulator."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Activation:
    name: str
    phrase: str
    torch: str
    """PyTorch's expression of `out`; empty for the identity."""
    triton: tuple[str, ...] = ()
    """Lines that assign the result to `acc`."""


EPILOGUE_ACTIVATIONS = (
    Activation("", "", ""),
    Activation("relu", "ReLU", "F.relu(out)", ("acc = fmax(acc, 0.0)",)),
    Activation("silu", "SiLU", "F.silu(out)", ("acc = acc * tl.sigmoid(acc)",)),
    Activation("gelu", "GELU", "F.gelu(out)",
               ("acc = 0.5 * acc * (1.0 + tl.erf(acc * 0.7071067811865476))",)),
    Activation("gelu_tanh", "GELU (tanh form)", 'F.gelu(out, approximate="tanh")',
               ("# 0.5 * (1 + tanh(z)) is the sigmoid of 2 z.",
                "cubic = acc + 0.044715 * acc * acc * acc",
                "acc = acc * tl.sigmoid(1.5957691216057308 * cubic)")),
    Activation("relu_squared", "squared ReLU", "F.relu(out).square()",
               ("acc = fmax(acc, 0.0)", "acc = acc * acc")),
)  # fmt: skip


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
