"""Operations with one operand: activations and mathematical functions.

The names `fmax`, `fmin`, `fclamp`, `ftanh`, `fexpm1` and `flog1p` are replaced according to the
style: see `spelling`. All operations are total: no finite input gives NaN.
"""

from __future__ import annotations

from validation.pairs.recipes.operation import Operation

ACTIVATIONS = (
    Operation("relu", "apply ReLU", "F.relu({x})", "fmax({x}, 0.0)"),
    Operation("gelu", "apply GELU", "F.gelu({x})",
              "0.5 * {x} * (1.0 + tl.erf({x} * 0.7071067811865476))"),
    Operation(
        "gelu_tanh",
        "apply the tanh approximation of GELU",
        'F.gelu({x}, approximate="tanh")',
        "0.5 * {x} * (1.0 + ftanh(cubic))",
        ("cubic = 0.7978845608028654 * ({x} + 0.044715 * {x} * {x} * {x})",),
    ),
    Operation("quick_gelu", "apply quick GELU", "{x} * torch.sigmoid(1.702 * {x})",
              "{x} * tl.sigmoid(1.702 * {x})"),
    Operation("silu", "apply SiLU", "F.silu({x})", "{x} * tl.sigmoid({x})"),
    Operation("mish", "apply Mish", "F.mish({x})", "{x} * ftanh(softplus)",
              ("softplus = fmax({x}, 0.0) + flog1p(tl.exp(-tl.abs({x})))",)),
    Operation("squared_relu", "apply squared ReLU", "F.relu({x}).square()",
              "positive * positive", ("positive = fmax({x}, 0.0)",)),
    Operation("leaky_relu", "apply leaky ReLU", "F.leaky_relu({x}, 0.01)",
              "tl.where({x} > 0.0, {x}, 0.01 * {x})"),
    Operation("relu6", "apply ReLU6", "F.relu6({x})", "fclamp({x}, 0.0, 6.0)", draw="wide"),
    Operation("elu", "apply ELU", "F.elu({x})", "tl.where({x} > 0.0, {x}, fexpm1({x}))"),
    Operation(
        "selu",
        "apply SELU",
        "F.selu({x})",
        "1.0507009873554805 * tl.where({x} > 0.0, {x}, 1.6732632423543772 * fexpm1({x}))",
    ),
    Operation("celu", "apply CELU with alpha 2", "F.celu({x}, alpha=2.0)",
              "tl.where({x} > 0.0, {x}, 2.0 * fexpm1(0.5 * {x}))"),
    Operation("softplus", "apply softplus", "F.softplus({x})",
              "fmax({x}, 0.0) + flog1p(tl.exp(-tl.abs({x})))"),
    Operation("hard_swish", "apply hard swish", "F.hardswish({x})",
              "{x} * fclamp({x} + 3.0, 0.0, 6.0) / 6.0"),
    Operation("tanh", "apply tanh", "torch.tanh({x})", "ftanh({x})"),
    Operation("sigmoid", "apply the sigmoid", "torch.sigmoid({x})", "tl.sigmoid({x})"),
    Operation("hard_sigmoid", "apply the hard sigmoid", "F.hardsigmoid({x})",
              "fclamp({x} / 6.0 + 0.5, 0.0, 1.0)"),
    Operation("softsign", "apply softsign", "F.softsign({x})", "{x} / (1.0 + tl.abs({x}))"),
    Operation("log_sigmoid", "apply the log-sigmoid", "F.logsigmoid({x})",
              "fmin({x}, 0.0) - flog1p(tl.exp(-tl.abs({x})))"),
    Operation("snake", "apply the snake activation", "{x} + torch.sin({x}).square()",
              "{x} + sine * sine", ("sine = tl.sin({x})",)),
)  # fmt: skip

ELEMENTARY = (
    Operation("absolute", "take the absolute value", "torch.abs({x})", "tl.abs({x})"),
    Operation("negate", "negate", "-{x}"),
    Operation("square", "square", "torch.square({x})", "{x} * {x}"),
    Operation("clamp", "clamp to [-1.5, 2]", "torch.clamp({x}, -1.5, 2.0)",
              "fclamp({x}, -1.5, 2.0)"),
    Operation("cap", "cap at 2", "torch.clamp({x}, max=2.0)", "fmin({x}, 2.0)", short="capped"),
    Operation("clip_value", "clip to [-1, 1]", "torch.clamp({x}, min=-1.0, max=1.0)",
              "fclamp({x}, -1.0, 1.0)"),
    Operation("hard_tanh", "apply the hard tanh", "F.hardtanh({x})", "fclamp({x}, -1.0, 1.0)"),
    Operation("soft_cap", "apply a tanh soft cap of 30", "30.0 * torch.tanh({x} / 30.0)",
              "30.0 * fexact_tanh({x} / 30.0)", draw="wide"),
    Operation("soft_cap_50", "apply a tanh soft cap of 50", "50.0 * torch.tanh({x} / 50.0)",
              "50.0 * fexact_tanh({x} * (1.0 / 50.0))", draw="wide"),
    Operation("scale_scores", "scale by 0.125", "{x} * 0.125", short="scaled"),
    Operation("scale_scores_128", "scale by 1 / sqrt(128)", "{x} * 0.08838834764831845",
              short="scaled"),
    Operation("temperature", "divide by the temperature 0.7", "{x} / 0.7"),
    Operation("scale_by_2", "scale by 2", "2.0 * {x}", short="times_2"),
    Operation("rescale_pixels", "map [0, 1] to [-1, 1]", "({x} - 0.5) / 0.5"),
    Operation("standard_deviation",
              "turn a log-variance, clamped to [-10, 10], into a standard deviation",
              "torch.exp(0.5 * torch.clamp({x}, -10.0, 10.0))",
              "tl.exp(0.5 * fclamp({x}, -10.0, 10.0))", draw="wide"),
    Operation("signed_log", "apply the signed log(1 + |x|)",
              "torch.sign({x}) * torch.log1p(torch.abs({x}))",
              "tl.where({x} < 0.0, -magnitude, magnitude)",
              ("magnitude = flog1p(tl.abs({x}))",)),
    Operation("sine", "take the sine", "torch.sin({x})", "tl.sin({x})"),
    Operation("cosine", "take the cosine", "torch.cos({x})", "tl.cos({x})"),
    Operation("erf", "apply the error function", "torch.erf({x})", "tl.erf({x})"),
    Operation("gaussian", "apply the Gaussian exp(-x²)", "torch.exp(-{x} * {x})",
              "tl.exp(-({x} * {x}))"),
    Operation("inverse_root", "compute 1 / sqrt(1 + x²)", "torch.rsqrt(1.0 + {x} * {x})",
              "tl.rsqrt(1.0 + {x} * {x})"),
    Operation("soft_shrink", "apply the soft threshold at 0.5", "F.softshrink({x}, 0.5)",
              "fmax({x} - 0.5, 0.0) + fmin({x} + 0.5, 0.0)"),
    Operation("hard_shrink", "apply the hard threshold at 0.5", "F.hardshrink({x}, 0.5)",
              "tl.where(tl.abs({x}) <= 0.5, 0.0, {x})"),
    Operation("binarize", "set positive elements to 1 and all others to 0",
              "({x} > 0.0).to({x}.dtype)", "tl.where({x} > 0.0, 1.0, 0.0)"),
)  # fmt: skip

UNARY = (*ACTIVATIONS, *ELEMENTARY)
