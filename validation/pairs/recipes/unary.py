"""Operations of one operand."""

from __future__ import annotations

from validation.pairs.recipes.operation import Operation

# Near zero, the difference to 1 would be mostly rounding, so a series is used there.
FALLEN = (
    "capped = fmin({x}, 0.0)",
    "series = 0.16666667 + capped * (0.041666668 + capped * 0.008333334)",
    "series = capped * (1.0 + capped * (0.5 + capped * series))",
    "fallen = tl.where(capped > -0.1, series, tl.exp(capped) - 1.0)",
)
SQUASHED = (
    "square = {x} * {x}",
    "series = 0.13333334 - square * (0.05396825 - square * 0.02186949)",
    "series = {x} * (1.0 - square * (0.33333334 - square * series))",
    "squashed = tl.where(tl.abs({x}) < 0.3, series, 2.0 * tl.sigmoid(2.0 * {x}) - 1.0)",
)


def grew(x: str) -> tuple[str, ...]:
    """Return log(1 + exp(-|x|)), corrected for the digits that adding 1 rounds away."""
    return (
        f"small = tl.exp(-tl.abs({x}))",
        "grown = 1.0 + small",
        "grew = tl.where(grown == 1.0, small, tl.log(grown) * (small / (grown - 1.0)))",
    )


UNARY = (
    Operation("relu", "ReLU", "torch.relu({x})", "fmax({x}, 0.0)"),
    Operation(
        "leaky_relu",
        "leaky ReLU",
        "F.leaky_relu({x}, 0.01)",
        "tl.where({x} > 0.0, {x}, 0.01 * {x})",
    ),
    Operation("relu6", "ReLU6", "F.relu6({x})", "fmin(fmax({x}, 0.0), 6.0)"),
    Operation(
        "elu",
        "ELU",
        "F.elu({x})",
        "tl.where({x} > 0.0, {x}, fallen)",
        FALLEN,
    ),
    Operation(
        "selu",
        "SELU",
        "F.selu({x})",
        "1.0507009873554805 * tl.where({x} > 0.0, {x}, 1.6732632423543772 * fallen)",
        FALLEN,
    ),
    Operation(
        "celu",
        "CELU with alpha 2",
        "F.celu({x}, alpha=2.0)",
        "fmax({x}, 0.0) + 2.0 * fallen",
        tuple(line.replace("({x}, 0.0)", "(0.5 * {x}, 0.0)") for line in FALLEN),
    ),
    Operation(
        "softplus",
        "softplus",
        "F.softplus({x})",
        "fmax({x}, 0.0) + grew",
        grew("{x}"),
    ),
    Operation("softsign", "softsign", "F.softsign({x})", "{x} / (1.0 + tl.abs({x}))"),
    Operation("sigmoid", "the sigmoid", "torch.sigmoid({x})", "tl.sigmoid({x})"),
    Operation(
        "log_sigmoid",
        "the log-sigmoid",
        "F.logsigmoid({x})",
        "fmin({x}, 0.0) - grew",
        grew("{x}"),
    ),
    Operation(
        "hard_sigmoid",
        "the hard sigmoid",
        "F.hardsigmoid({x})",
        "fmin(fmax({x} / 6.0 + 0.5, 0.0), 1.0)",
    ),
    Operation(
        "hard_tanh",
        "the hard tanh",
        "F.hardtanh({x})",
        "fmin(fmax({x}, -1.0), 1.0)",
    ),
    Operation(
        "hard_swish",
        "hard swish",
        "F.hardswish({x})",
        "{x} * fmin(fmax({x} + 3.0, 0.0), 6.0) / 6.0",
    ),
    Operation("silu", "SiLU", "F.silu({x})", "{x} * tl.sigmoid({x})"),
    Operation(
        "quick_gelu",
        "the quick GELU",
        "{x} * torch.sigmoid(1.702 * {x})",
        "{x} / (1.0 + tl.exp(-1.702 * {x}))",
    ),
    Operation(
        "mish",
        "Mish",
        "F.mish({x})",
        # The tanh of a softplus without either, so that small results keep their digits.
        "{x} * tl.where({x} < 0.0, below / (below + 2.0), above / (above + 2.0 * small * small))",
        (
            "small = tl.exp(-tl.abs({x}))",
            "below = small * (small + 2.0)",
            "above = 1.0 + 2.0 * small",
        ),
    ),
    Operation(
        "gelu",
        "GELU",
        "F.gelu({x})",
        "0.5 * {x} * (1.0 + tl.erf({x} * 0.7071067811865476))",
    ),
    Operation(
        "gelu_tanh",
        "the tanh form of GELU",
        'F.gelu({x}, approximate="tanh")',
        "{x} * tl.sigmoid(2.0 * bent)",
        ("bent = 0.7978845608028654 * ({x} + 0.044715 * {x} * {x} * {x})",),
    ),
    Operation("tanh", "tanh", "torch.tanh({x})", "squashed", SQUASHED),
    Operation(
        "tanh_shrink",
        "tanhshrink",
        "F.tanhshrink({x})",
        "tl.where(tl.abs({x}) < 0.3, series, {x} - (2.0 * tl.sigmoid(2.0 * {x}) - 1.0))",
        (
            "square = {x} * {x}",
            "series = 0.13333334 - square * (0.05396825 - square * 0.02186949)",
            "series = {x} * square * (0.33333334 - square * series)",
        ),
    ),
    Operation(
        "soft_shrink",
        "the soft threshold at 0.5",
        "F.softshrink({x}, 0.5)",
        "fmax({x} - 0.5, 0.0) + fmin({x} + 0.5, 0.0)",
    ),
    Operation(
        "hard_shrink",
        "the hard threshold at 0.5",
        "F.hardshrink({x}, 0.5)",
        "tl.where(tl.abs({x}) <= 0.5, 0.0, {x})",
        smooth=False,
    ),
    Operation("abs", "the absolute value", "torch.abs({x})", "tl.abs({x})"),
    Operation("negate", "the negative", "-{x}", "-{x}"),
    Operation("square", "the square", "torch.square({x})", "{x} * {x}"),
    Operation(
        "squared_relu",
        "the squared ReLU",
        "torch.relu({x}).square()",
        "positive * positive",
        ("positive = fmax({x}, 0.0)",),
    ),
    Operation(
        "signed_sqrt",
        "the signed square root",
        "torch.sign({x}) * torch.sqrt(torch.abs({x}) + 1.0)",
        "tl.where({x} == 0.0, 0.0, tl.where({x} < 0.0, -root, root))",
        ("root = tl.sqrt(tl.abs({x}) + 1.0)",),
        smooth=False,
    ),
    Operation(
        "bounded_cube",
        "a bounded cube",
        "{x} ** 3 / (1.0 + {x} ** 2)",
        "cube / (1.0 + {x} * {x})",
        ("cube = {x} * {x} * {x}",),
    ),
    Operation(
        "inverse_root",
        "the inverse square root of one plus the square",
        "torch.rsqrt(1.0 + {x} * {x})",
        "tl.rsqrt(1.0 + {x} * {x})",
    ),
    Operation(
        "gaussian",
        "a Gaussian bump",
        "torch.exp(-{x} * {x})",
        "tl.exp(-({x} * {x}))",
    ),
    Operation(
        "decay",
        "exponential decay",
        "torch.exp(-torch.abs({x}))",
        "tl.exp2(-1.4426950408889634 * tl.abs({x}))",
    ),
    Operation(
        "log1p",
        "log(1 + |x|) with its sign",
        "torch.sign({x}) * torch.log1p(torch.abs({x}))",
        "tl.where({x} < 0.0, -magnitude, magnitude)",
        (
            "extent = tl.abs({x})",
            "series = 0.25 - extent * (0.2 - extent * (0.16666667 - extent * 0.14285715))",
            "series = extent * (1.0 - extent * (0.5 - extent * (0.33333334 - extent * series)))",
            "magnitude = tl.where(extent < 0.1, series, tl.log(1.0 + extent))",
        ),
    ),
    Operation("sin", "the sine", "torch.sin({x})", "tl.sin({x})"),
    Operation("cos", "the cosine", "torch.cos({x})", "tl.cos({x})"),
    Operation(
        "snake",
        "the snake activation",
        "{x} + torch.sin({x}) ** 2",
        "{x} + wave * wave",
        ("wave = tl.sin({x})",),
    ),
    Operation("erf", "the error function", "torch.erf({x})", "tl.erf({x})"),
    Operation(
        "asinh",
        "asinh",
        "torch.asinh({x})",
        "tl.where({x} < 0.0, -grown, grown)",
        (
            "extent = tl.abs({x})",
            "square = extent * extent",
            "series = 0.075 - square * (0.044642857 - square * 0.030381944)",
            "series = extent * (1.0 - square * (0.16666667 - square * series))",
            "grown = tl.where(extent < 0.2, series, tl.log(extent + tl.sqrt(square + 1.0)))",
        ),
    ),
    Operation(
        "reciprocal",
        "1 / (1 + |x|)",
        "1.0 / (1.0 + torch.abs({x}))",
        "1.0 / (1.0 + tl.abs({x}))",
    ),
    Operation(
        "affine",
        "an affine map",
        "1.5 * {x} - 0.25",
        "1.5 * {x} - 0.25",
    ),
    Operation(
        "clamp",
        "clamping to [-1.5, 2]",
        "torch.clamp({x}, -1.5, 2.0)",
        "fmin(fmax({x}, -1.5), 2.0)",
    ),
    Operation(
        "fraction",
        "the fractional part",
        "{x} - torch.floor({x})",
        "{x} - tl.floor({x})",
        smooth=False,
    ),
    Operation(
        "heaviside",
        "the step function",
        "({x} > 0.0).to({x}.dtype)",
        "tl.where({x} > 0.0, 1.0, 0.0)",
        smooth=False,
    ),
    Operation(
        "polynomial",
        "a cubic by Horner's rule",
        "0.5 + {x} * (0.25 + {x} * (-0.125 + {x} * 0.0625))",
        "0.5 + {x} * horner",
        ("horner = -0.125 + {x} * 0.0625", "horner = 0.25 + {x} * horner"),
    ),
)
