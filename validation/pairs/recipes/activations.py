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


IDENTITY = Activation("", "", "")
ACTIVATIONS = (
    IDENTITY,
    Activation("relu", "ReLU", "F.relu(out)", ("acc = fmax(acc, 0.0)",)),
    Activation("silu", "SiLU", "F.silu(out)", ("acc = acc * tl.sigmoid(acc)",)),
    Activation(
        "gelu",
        "GELU",
        "F.gelu(out)",
        ("acc = 0.5 * acc * (1.0 + tl.erf(acc * 0.7071067811865476))",),
    ),
    Activation(
        "gelu_tanh",
        "GELU (tanh form)",
        'F.gelu(out, approximate="tanh")',
        (
            "# 0.5 * (1 + tanh(z)) is the sigmoid of 2 z.",
            "cubic = acc + 0.044715 * acc * acc * acc",
            "acc = acc * tl.sigmoid(1.5957691216057308 * cubic)",
        ),
    ),
    Activation(
        "relu_squared",
        "squared ReLU",
        "F.relu(out).square()",
        ("acc = fmax(acc, 0.0)", "acc = acc * acc"),
    ),
)


def afterward(bias: bool, activation: Activation) -> str:
    """Return the end of a summary that names the steps after a product."""
    steps = [
        *(("add a bias",) * bias),
        *((f"apply {activation.phrase}",) if activation.name else ()),
    ]
    return f", then {' and '.join(steps)}" if steps else ""
