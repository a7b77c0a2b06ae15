"""Element-wise operations with two and three operands, in PyTorch and in Triton.

Those with one operand are in `unary`.

The Triton side uses only functions of the interpreter and of every release since 3.2: no
libdevice. All operations are total (no finite input gives NaN) and grow slowly, so that any
three may follow each other. `fmax` and `fmin` become Triton's maximum and minimum with NaN
propagation. No template uses the names that lines assign.
"""

from __future__ import annotations

from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.unary import SQUASHED, grew

BINARY = (
    Operation("add", "adding", "{x} + {y}", "{x} + {y}"),
    Operation("subtract", "subtracting", "{x} - {y}", "{x} - {y}"),
    Operation("multiply", "multiplying by", "{x} * {y}", "{x} * {y}"),
    Operation(
        "soft_divide",
        "dividing by one plus the size of",
        "{x} / (1.0 + torch.abs({y}))",
        "{x} / (1.0 + tl.abs({y}))",
    ),
    Operation("maximum", "the larger of it and", "torch.maximum({x}, {y})", "fmax({x}, {y})"),
    Operation("minimum", "the smaller of it and", "torch.minimum({x}, {y})", "fmin({x}, {y})"),
    Operation(
        "hypot",
        "the hypotenuse with",
        "torch.sqrt({x} * {x} + {y} * {y} + 1.0)",
        "tl.sqrt({x} * {x} + {y} * {y} + 1.0)",
    ),
    Operation(
        "squared_difference",
        "the squared difference from",
        "torch.square({x} - {y})",
        "difference * difference",
        ("difference = {x} - {y}",),
    ),
    Operation(
        "distance",
        "the distance from",
        "torch.abs({x} - {y})",
        "tl.abs({x} - {y})",
    ),
    Operation(
        "gate",
        "gating by the sigmoid of",
        "{x} * torch.sigmoid({y})",
        "{x} * tl.sigmoid({y})",
    ),
    Operation(
        "silu_gate",
        "gating by the SiLU of",
        "{x} * F.silu({y})",
        "{x} * {y} / (1.0 + tl.exp(-{y}))",
    ),
    Operation(
        "gelu_gate",
        "gating by the GELU of",
        "{x} * F.gelu({y})",
        "{x} * bell",
        ("bell = 0.5 * {y} * (1.0 + tl.erf({y} * 0.7071067811865476))",),
    ),
    Operation(
        "relu_gate", "gating by the ReLU of", "{x} * torch.relu({y})", "{x} * fmax({y}, 0.0)"
    ),
    Operation(
        "tanh_gate",
        "gating by the tanh of",
        "{x} * torch.tanh({y})",
        "{x} * squashed",
        tuple(line.replace("{x}", "{y}") for line in SQUASHED),
    ),
    Operation(
        "log_add_exp",
        "the logarithm of the sum of exponentials with",
        "torch.logaddexp({x}, {y})",
        "peak + grew",
        (
            "peak = fmax({x}, {y})",
            "apart = tl.where({x} == {y}, 0.0, {x} - {y})",
            *grew("apart"),
        ),
    ),
    Operation(
        "average",
        "averaging with",
        "0.5 * ({x} + {y})",
        "0.5 * ({x} + {y})",
    ),
    Operation(
        "lerp",
        "a third of the way to",
        "torch.lerp({x}, {y}, 1.0 / 3.0)",
        "{x} + ({y} - {x}) * (1.0 / 3.0)",
    ),
    Operation(
        "smooth_l1",
        "the smooth L1 distance from",
        "torch.where(torch.abs({x} - {y}) < 1.0, "
        "0.5 * ({x} - {y}) ** 2, torch.abs({x} - {y}) - 0.5)",
        "tl.where(far < 1.0, 0.5 * far * far, far - 0.5)",
        ("far = tl.abs({x} - {y})",),
    ),
    Operation(
        "rotate",
        "mixing in the sine of",
        "{x} * torch.cos({y}) + torch.sin({y})",
        "{x} * tl.cos({y}) + tl.sin({y})",
    ),
    Operation(
        "product_plus",
        "one plus the product with",
        "1.0 + {x} * {y}",
        "1.0 + {x} * {y}",
    ),
)

TERNARY = (
    Operation(
        "addcmul",
        "half the product of {y} and {z} on top",
        "torch.addcmul({x}, {y}, {z}, value=0.5)",
        "{x} + 0.5 * {y} * {z}",
    ),
    Operation(
        "multiply_add",
        "multiplying by {y} and adding {z}",
        "{x} * {y} + {z}",
        "{x} * {y} + {z}",
    ),
    Operation(
        "blend",
        "blending with {y} by the sigmoid of {z}",
        "{x} + ({y} - {x}) * torch.sigmoid({z})",
        "{x} + ({y} - {x}) * portion",
        ("portion = tl.sigmoid({z})",),
    ),
    Operation(
        "select",
        "choosing {y} wherever {z} is positive",
        "torch.where({z} > 0, {y}, {x})",
        "tl.where({z} > 0.0, {y}, {x})",
    ),
    Operation(
        "median",
        "the median of it, {y} and {z}",
        "torch.maximum(torch.minimum({x}, {y}), torch.minimum(torch.maximum({x}, {y}), {z}))",
        "fmax(lesser, fmin(greater, {z}))",
        ("lesser = fmin({x}, {y})", "greater = fmax({x}, {y})"),
    ),
    Operation(
        "clamp_between",
        "clamping between {y} and {z}, whichever is larger",
        "torch.minimum(torch.maximum({x}, torch.minimum({y}, {z})), torch.maximum({y}, {z}))",
        "fmin(fmax({x}, lesser), greater)",
        ("lesser = fmin({y}, {z})", "greater = fmax({y}, {z})"),
    ),
    Operation(
        "norm3",
        "the length of the vector with {y} and {z}",
        "torch.sqrt({x} ** 2 + {y} ** 2 + {z} ** 2 + 1.0)",
        "tl.sqrt(square_sum + 1.0)",
        ("square_sum = {x} * {x} + {y} * {y} + {z} * {z}",),
    ),
    Operation(
        "soft_addcdiv",
        "adding {y} over one plus the square of {z}",
        "torch.addcdiv({x}, {y}, 1.0 + {z} * {z})",
        "{x} + {y} / (1.0 + {z} * {z})",
    ),
)
