"""Element-wise operations with two and three operands, in PyTorch and in Triton.

The Triton side uses only functions that the interpreter and every release since 3.2 have. libdevice
is excluded: its functions return None in the interpreter. Templates don't use the names that these
lines assign.
"""

from __future__ import annotations

from validation.pairs.recipes.operation import Operand, Operation

GATE = (Operand("gate"),)
RESIDUAL = Operand("residual")
TARGET = (Operand("target"),)

GATES = (
    Operation("sigmoid_gate", "gate by a sigmoid (GLU)", "{x} * torch.sigmoid({y})",
              "{x} * tl.sigmoid({y})", further=GATE, short="glu"),
    Operation("silu_gate", "gate by SiLU (SwiGLU)", "{x} * F.silu({y})",
              "{x} * {y} * tl.sigmoid({y})", further=GATE, short="swiglu"),
    Operation("gelu_gate", "gate by GELU (GEGLU)", "{x} * F.gelu({y})", "{x} * activated",
              ("activated = 0.5 * {y} * (1.0 + tl.erf({y} * 0.7071067811865476))",),
              further=GATE, short="geglu"),
    Operation("relu_gate", "gate by ReLU (ReGLU)", "{x} * F.relu({y})", "{x} * fmax({y}, 0.0)",
              further=GATE, short="reglu"),
    Operation("tanh_gate", "gate by tanh", "{x} * torch.tanh({y})", "{x} * ftanh({y})",
              further=GATE),
)  # fmt: skip

ADD_BIAS = Operation("add_bias", "add a bias", "{x} + {y}", "{x} + {y}",
                     further=(Operand("bias", "row"),), short="bias")  # fmt: skip
ADD_RESIDUAL = Operation("add_residual", "add the residual", "{x} + {y}", "{x} + {y}",
                         further=(RESIDUAL,), short="residual")  # fmt: skip
LAYER_SCALE = Operation("layer_scale", "scale each channel", "{x} * {y}", "{x} * {y}",
                        further=(Operand("gamma", "row"),))  # fmt: skip
TOKEN_SCALE = Operation("token_scale", "scale each token", "{x} * {y}", "{x} * {y}",
                        further=(Operand("token_weight", "column"),))  # fmt: skip
HADAMARD = Operation("multiply", "multiply by a second tensor", "{x} * {y}", "{x} * {y}",
                     further=(Operand("up"),), short="times_up")  # fmt: skip
DROPOUT = Operation("drop", "apply a dropout mask with p = 0.1",
                    "torch.where({y}, {x} / 0.9, 0.0)", "tl.where({y}, {x} / 0.9, 0.0)",
                    further=(Operand("keep", draw="mask"),), short="dropout")  # fmt: skip
ADD_MASK = Operation("add_attention_mask", "add the attention mask", "{x} + {y}", "{x} + {y}",
                     further=(Operand("attention_mask"),), short="mask")  # fmt: skip
FILL_MASK = Operation("fill_masked", "set masked scores to -10,000",
                      "{x}.masked_fill(~{y}, -10000.0)", "tl.where({y}, {x}, -10000.0)",
                      further=(Operand("visible", draw="mask"),), short="masked")  # fmt: skip
POSITION_BIAS = Operation("add_position_bias", "add the position bias", "{x} + {y}", "{x} + {y}",
                          further=(Operand("position_bias"),), short="position_bias")  # fmt: skip

BINARY = (
    ADD_BIAS,
    ADD_RESIDUAL,
    *GATES,
    LAYER_SCALE,
    TOKEN_SCALE,
    HADAMARD,
    DROPOUT,
    ADD_MASK,
    FILL_MASK,
    POSITION_BIAS,
    Operation("subtract_mean", "subtract the running mean", "{x} - {y}", "{x} - {y}",
              further=(Operand("running_mean", "row"),), short="centered"),
    Operation("squared_error", "square the difference from the target",
              "torch.square({x} - {y})", "difference * difference",
              ("difference = {x} - {y}",), further=TARGET),
    Operation("absolute_error", "take the absolute difference from the target",
              "torch.abs({x} - {y})", "tl.abs({x} - {y})", further=TARGET),
    Operation("smooth_l1", "compute the smooth L1 loss",
              'F.smooth_l1_loss({x}, {y}, reduction="none")',
              "tl.where(absolute < 1.0, 0.5 * absolute * absolute, absolute - 0.5)",
              ("absolute = tl.abs({x} - {y})",), further=TARGET),
    Operation("lower_bound", "take the element-wise maximum with a floor tensor",
              "torch.maximum({x}, {y})", "fmax({x}, {y})", further=(Operand("floor"),)),
    Operation("upper_bound", "take the element-wise minimum with a ceiling tensor",
              "torch.minimum({x}, {y})", "fmin({x}, {y})", further=(Operand("ceiling"),)),
    Operation("ema_update", "update an exponential moving average with decay 0.9",
              "0.9 * {y} + 0.1 * {x}", "0.9 * {y} + 0.1 * {x}", further=(Operand("ema"),)),
    Operation("interpolate", "interpolate a third of the way to the endpoint",
              "torch.lerp({x}, {y}, 1.0 / 3.0)", "{x} + ({y} - {x}) * (1.0 / 3.0)",
              further=(Operand("endpoint"),)),
    Operation("momentum", "accumulate with momentum 0.9", "0.9 * {y} + {x}", "0.9 * {y} + {x}",
              further=(Operand("velocity"),)),
    Operation("magnitude", "compute the magnitude of complex numbers",
              "torch.sqrt({x} * {x} + {y} * {y} + 1e-6)",
              "tl.sqrt({x} * {x} + {y} * {y} + 1e-6)", further=(Operand("imaginary"),)),
    Operation("squared_magnitude", "compute the squared magnitude of complex numbers",
              "{x} * {x} + {y} * {y}", "{x} * {x} + {y} * {y}", further=(Operand("imaginary"),)),
    Operation("log_add_exp", "compute log(exp(x) + exp(other))", "torch.logaddexp({x}, {y})",
              "fmax({x}, {y}) + flog1p(tl.exp(-gap))",
              ("gap = tl.where({x} == {y}, 0.0, tl.abs({x} - {y}))",),
              further=(Operand("other"),)),
    Operation("prelu", "apply PReLU with a slope for each channel",
              "torch.where({x} > 0.0, {x}, {y} * {x})", "tl.where({x} > 0.0, {x}, {y} * {x})",
              further=(Operand("slope", "row"),)),
    Operation("swish_beta", "apply Swish with a beta for each channel",
              "{x} * torch.sigmoid({y} * {x})", "{x} * tl.sigmoid({y} * {x})",
              further=(Operand("beta", "row"),)),
)  # fmt: skip

AFFINE = Operation("affine", "scale and shift each channel", "{x} * {y} + {z}", "{x} * {y} + {z}",
                   further=(Operand("gamma", "row"), Operand("beta", "row")))  # fmt: skip
MODULATE = Operation("modulate", "modulate by a scale and a shift (adaLN)",
                     "{x} * (1.0 + {y}) + {z}", "{x} * (1.0 + {y}) + {z}",
                     further=(Operand("mod_scale", "row"), Operand("mod_shift", "row"))
                     )  # fmt: skip
SCALED_RESIDUAL = Operation("layer_scale_residual", "scale each channel and add the residual",
                            "{z} + {y} * {x}", "{z} + {y} * {x}",
                            further=(Operand("gamma", "row"), RESIDUAL))  # fmt: skip
GATED_RESIDUAL = Operation("gated_residual", "gate by tanh and add the residual",
                           "{z} + torch.tanh({y}) * {x}", "{z} + ftanh({y}) * {x}",
                           further=(Operand("gate"), RESIDUAL))  # fmt: skip
DROPOUT_RESIDUAL = Operation(
    "dropout_residual", "apply a dropout mask with p = 0.1 and add the residual",
    "torch.where({y}, {x} / 0.9, 0.0) + {z}", "tl.where({y}, {x} / 0.9, 0.0) + {z}",
    further=(Operand("keep", draw="mask"), RESIDUAL))  # fmt: skip
STANDARDIZE = Operation(
    "standardize", "standardize by the running mean and inverse standard deviation",
    "({x} - {y}) * {z}", "({x} - {y}) * {z}",
    further=(Operand("running_mean", "row"), Operand("inv_std", "row", "positive")))  # fmt: skip

TERNARY = (
    AFFINE,
    MODULATE,
    SCALED_RESIDUAL,
    GATED_RESIDUAL,
    DROPOUT_RESIDUAL,
    STANDARDIZE,
    Operation("gru_update", "blend a state and a proposed state by an update gate",
              "{x} + torch.sigmoid({z}) * ({y} - {x})", "{x} + tl.sigmoid({z}) * ({y} - {x})",
              further=(Operand("proposed"), Operand("update"))),
    Operation("addcmul", "add half the product of two tensors",
              "torch.addcmul({x}, {y}, {z}, value=0.5)", "{x} + 0.5 * {y} * {z}",
              further=(Operand("tensor1"), Operand("tensor2"))),
    Operation("multiply_add", "multiply by one tensor and add another",
              "{x} * {y} + {z}", "{x} * {y} + {z}",
              further=(Operand("factor"), Operand("addend"))),
    Operation("rotate", "rotate a feature by an angle (RoPE)",
              "{x} * torch.cos({z}) - {y} * torch.sin({z})",
              "{x} * tl.cos({z}) - {y} * tl.sin({z})",
              further=(Operand("partner"), Operand("angle"))),
    Operation("reparameterize", "sample from a Gaussian by its mean, log-variance and noise",
              "{x} + torch.exp(0.5 * torch.clamp({y}, -10.0, 10.0)) * {z}",
              "{x} + tl.exp(0.5 * fclamp({y}, -10.0, 10.0)) * {z}",
              further=(Operand("log_var"), Operand("noise"))),
    Operation("clamp_between", "clamp between two tensors",
              "torch.minimum(torch.maximum({x}, {y}), {z})", "fmin(fmax({x}, {y}), {z})",
              further=(Operand("lower"), Operand("upper"))),
    Operation("select", "select one of two tensors by a mask", "torch.where({z}, {y}, {x})",
              "tl.where({z}, {y}, {x})",
              further=(Operand("replacement"), Operand("chosen", draw="mask"))),
    Operation("luma", "convert RGB planes to luma", "0.299 * {x} + 0.587 * {y} + 0.114 * {z}",
              "0.299 * {x} + 0.587 * {y} + 0.114 * {z}",
              further=(Operand("green"), Operand("blue"))),
    Operation("guidance", "apply classifier-free guidance with scale 3",
              "torch.lerp({y}, {x}, 3.0) + {z}", "{x} + 2.0 * ({x} - {y}) + {z}",
              further=(Operand("unconditional"), Operand("noise"))),
    Operation("smooth_labels", "weigh labels that are smoothed by 0.1",
              "(0.9 * {x} + 0.1 * {y}) * {z}", "(0.9 * {x} + 0.1 * {y}) * {z}",
              further=(Operand("prior", "row"), Operand("sample_weight", "column"))),
)  # fmt: skip

OTHER = (Operand("other"),)
# Operations on each pair of elements of two vectors.
OUTER = (
    Operation("sum", "add each pair", "{x} + {y}", "{x} + {y}", further=OTHER),
    Operation("product", "multiply each pair", "{x} * {y}", "{x} * {y}", further=OTHER),
    Operation("difference", "subtract each pair", "{x} - {y}", "{x} - {y}", further=OTHER),
    Operation("distance", "take the absolute difference of each pair", "torch.abs({x} - {y})",
              "tl.abs({x} - {y})", further=OTHER),
    Operation("squared_distance", "square the difference of each pair", "torch.square({x} - {y})",
              "difference * difference", ("difference = {x} - {y}",), further=OTHER),
    Operation("maximum", "take the larger of each pair", "torch.maximum({x}, {y})",
              "fmax({x}, {y})", further=OTHER),
    Operation("minimum", "take the smaller of each pair", "torch.minimum({x}, {y})",
              "fmin({x}, {y})", further=OTHER),
    Operation("log_add_exp", "compute log(exp(x) + exp(other)) of each pair",
              "torch.logaddexp({x}, {y})",
              "fmax({x}, {y}) + flog1p(tl.exp(-gap))",
              ("gap = tl.where({x} == {y}, 0.0, tl.abs({x} - {y}))",), further=OTHER),
)  # fmt: skip
