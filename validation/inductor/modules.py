"""Layers and blocks of models, from which Inductor's pairs are made.

Each is a function over tensors with its inputs' shapes: what a layer holds as weights is handed
over. Written as one would write a layer, not as one would write a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validation.recipes.sketch import FLOATS, Argument, Sketch, tolerances

Sizes = tuple[Mapping[str, int], ...]

LINE: Sizes = ({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 5003})
ROWS: Sizes = (
    {"rows": 1, "width": 1},
    {"rows": 3, "width": 17},
    {"rows": 64, "width": 127},
    {"rows": 97, "width": 300},
)
IMAGES: Sizes = (
    {"batch": 1, "channels": 1, "height": 5, "width": 7},
    {"batch": 2, "channels": 3, "height": 16, "width": 11},
    {"batch": 3, "channels": 12, "height": 17, "width": 19},
)
MATRICES: Sizes = (
    {"rows": 1, "inner": 1, "width": 1},
    {"rows": 17, "inner": 33, "width": 5},
    {"rows": 64, "inner": 128, "width": 48},
    {"rows": 97, "inner": 70, "width": 130},
)
FEEDS: Sizes = (
    {"rows": 1, "inner": 3, "width": 2},
    {"rows": 17, "inner": 33, "width": 20},
    {"rows": 70, "inner": 96, "width": 50},
)
HEADS: Sizes = (
    {"heads": 1, "queries": 1, "keys": 3, "width": 16},
    {"heads": 2, "queries": 17, "keys": 33, "width": 32},
    {"heads": 3, "queries": 50, "keys": 70, "width": 24},
)
BAGS: Sizes = (
    {"rows": 1, "width": 1, "many": 3},
    {"rows": 17, "width": 33, "many": 11},
    {"rows": 64, "width": 100, "many": 50},
)
SINGLE = ("float32",)


def module(
    name: str,
    summary: str,
    kind: str,
    inputs: str,
    sizes: Sizes,
    *python: str,
    dtypes: tuple[str, ...] = FLOATS,
    steps: int = 2,
    absolute: float = 1e-5,
    outputs: int = 1,
) -> Sketch:
    """`inputs` are names with their sizes: `x: rows width, weight: width, eps=1e-05`."""
    return Sketch(
        entry_point=name,
        summary=summary,
        operation_type=kind,
        tags=("inductor", "layer"),
        triton="",
        python=python,
        arguments=tuple(_argument(text.strip()) for text in inputs.split(",")),
        sizes=sizes,
        dtypes=dtypes,
        tolerance=tolerances(dtypes, steps, absolute),
        outputs=outputs,
    )


# How a name is drawn where it is not by the normal distribution.
DRAWN: Mapping[str, Mapping[str, Any]] = {
    "variance": {"draw": "positive"},
    "scale": {"draw": "positive"},
    "probabilities": {"draw": "uniform"},
    "square": {"draw": "uniform"},
    "target": {"draw": "index", "bound": "width"},
    "index": {"draw": "index", "bound": "many"},
    "codes": {"draw": "integers", "dtype": "int8"},
}


def _argument(text: str) -> Argument:
    name, number, default = text.partition("=")
    if number:
        return Argument(name, default=default)
    name, _, shape = text.partition(":")
    return Argument(name, tuple(shape.split()), **DRAWN.get(name, {}))


ACTIVATIONS = (
    module("gelu", "GELU by the error function.", "element-wise", "x: n", LINE, "return F.gelu(x)"),
    module("gelu_tanh", "The tanh form of GELU.", "element-wise", "x: n", LINE,
           'return F.gelu(x, approximate="tanh")'),
    module("silu", "SiLU.", "element-wise", "x: n", LINE, "return F.silu(x)"),
    module("mish", "Mish.", "element-wise", "x: n", LINE, "return F.mish(x)"),
    module("hard_swish", "The hard swish.", "element-wise", "x: n", LINE, "return F.hardswish(x)"),
    module("elu", "ELU.", "element-wise", "x: n", LINE, "return F.elu(x)"),
    module("soft_capping", "Logits squeezed below a cap.", "element-wise",
           "x: rows width, cap=30.0", ROWS, "return cap * torch.tanh(x / cap)", dtypes=SINGLE),
    module("bias_gelu", "A bias, then GELU.", "element-wise", "x: rows width, bias: width", ROWS,
           "return F.gelu(x + bias)"),
    module("bias_residual", "A bias and what was before the layer.", "element-wise",
           "x: rows width, bias: width, residual: rows width", ROWS, "return x + bias + residual"),
    module("swiglu", "SwiGLU of a value and its gate.", "element-wise",
           "x: rows width, gate: rows width", ROWS, "return x * F.silu(gate)"),
    module("geglu", "GEGLU of a value and its gate.", "element-wise",
           "x: rows width, gate: rows width", ROWS, "return x * F.gelu(gate)"),
    module("layer_scale", "A branch, scaled by channel, added to what was before it.",
           "element-wise", "x: rows width, branch: rows width, gamma: width", ROWS,
           "return x + gamma * branch"),
    module("parametric_relu", "PReLU with a slope a channel.", "element-wise",
           "x: rows width, slope: width", ROWS, "return torch.where(x > 0, x, slope * x)"),
    module("complex_product", "The product of complex numbers in two parts.", "element-wise",
           "a: n, b: n, c: n, d: n", LINE, "return a * c - b * d, a * d + b * c", outputs=2,
           dtypes=SINGLE),
    module("channel_affine", "An affine map by channel of images.", "element-wise",
           "x: batch channels height width, weight: channels, bias: channels", IMAGES,
           "return x * weight[:, None, None] + bias[:, None, None]"),
    module("alpha_blend", "One image over another.", "element-wise",
           "x: batch channels height width, below: batch channels height width, "
           "probabilities: batch height width", IMAGES,
           "alpha = probabilities[:, None]", "return alpha * x + (1 - alpha) * below"),
)  # fmt: skip

NORMALISATIONS = (
    module("layer_norm", "Layer normalisation.", "normalization",
           "x: rows width, weight: width, bias: width, eps=1e-05", ROWS,
           "return F.layer_norm(x, (x.shape[-1],), weight, bias, eps)", steps=4),
    module("rms_norm", "RMS normalisation.", "normalization",
           "x: rows width, weight: width, eps=1e-06", ROWS,
           "y = x.float()", "y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + eps)",
           "return (y * weight.float()).to(x.dtype)", steps=4),
    module("add_rms_norm", "A residual, and RMS normalisation of the sum.", "normalization",
           "x: rows width, residual: rows width, weight: width, eps=1e-06", ROWS,
           "total = x.float() + residual.float()",
           "scale = torch.rsqrt(total.square().mean(-1, keepdim=True) + eps)",
           "return (total * scale * weight.float()).to(x.dtype), total.to(x.dtype)",
           steps=4, outputs=2),
    module("batch_norm_inference", "Batch normalisation by kept statistics.", "normalization",
           "x: batch channels height width, mean: channels, variance: channels, "
           "weight: channels, bias: channels", IMAGES,
           "return F.batch_norm(x, mean, variance, weight, bias)", steps=4),
    module("batch_norm_relu", "Batch normalisation by the batch's statistics, then ReLU.",
           "normalization", "x: rows width, weight: width, bias: width, eps=1e-05",
           ROWS[1:], "y = x.float()", "mean = y.mean(0)",
           "variance = (y - mean).square().mean(0)",
           "y = (y - mean) * torch.rsqrt(variance + eps)",
           "return torch.relu(y * weight + bias).to(x.dtype)", steps=4),
    module("instance_norm", "Instance normalisation of images.", "normalization",
           "x: batch channels height width, eps=1e-05", IMAGES,
           "y = x.float()", "mean = y.mean((-1, -2), keepdim=True)",
           "variance = (y - mean).square().mean((-1, -2), keepdim=True)",
           "return ((y - mean) * torch.rsqrt(variance + eps)).to(x.dtype)", steps=4),
    module("l2_normalise", "Rows of length one.", "normalization", "x: rows width, eps=1e-06", ROWS,
           "y = x.float()", "length = torch.sqrt(y.square().sum(-1, keepdim=True) + eps)",
           "return (y / length).to(x.dtype)", steps=4),
    module("ada_layer_norm", "Layer normalisation whose scale and shift depend on a condition.",
           "normalization", "x: rows width, shift: rows width, gain: rows width", ROWS,
           "y = F.layer_norm(x.float(), (x.shape[-1],))",
           "return (y * (1 + gain.float()) + shift.float()).to(x.dtype)", steps=4),
    module("softmax", "The softmax of rows.", "softmax", "x: rows width", ROWS,
           "return torch.softmax(x, dim=-1)"),
    module("log_softmax", "The logarithm of the softmax of rows.", "softmax", "x: rows width", ROWS,
           "return torch.log_softmax(x, dim=-1)", steps=4),
    module("column_softmax", "The softmax of columns.", "softmax", "x: rows width", ROWS,
           "return torch.softmax(x, dim=0)"),
    module("scaled_bias_softmax", "The softmax of scores with a bias.", "softmax",
           "x: rows width, bias: rows width, factor=0.125", ROWS,
           "return torch.softmax(x.float() * factor + bias.float(), dim=-1).to(x.dtype)"),
    module("causal_softmax", "The softmax of scores that do not look ahead.", "softmax",
           "x: rows width", ROWS,
           "places = torch.arange(x.shape[1], device=x.device)",
           "seen = places[None, :] <= torch.arange(x.shape[0], device=x.device)[:, None]",
           'scores = x.float().masked_fill(~seen, float("-inf"))',
           "return torch.softmax(scores, dim=-1).to(x.dtype)"),
    module("router", "How much each expert is asked, of logits with noise.", "softmax",
           "x: rows width, noise: rows width", ROWS,
           "return torch.softmax(x.float() + 0.1 * noise.float(), dim=-1).to(x.dtype)"),
)  # fmt: skip

REDUCTIONS = (
    module("mean_rows", "The mean of rows.", "reduction", "x: rows width", ROWS,
           "return x.mean(-1)"),
    module("variance_rows", "The variance of rows.", "reduction", "x: rows width", ROWS,
           "y = x.float()", "y = y - y.mean(-1, keepdim=True)",
           "return y.square().mean(-1).to(x.dtype)", steps=4),
    module("log_sum_exp", "The logarithm of the sum of exponentials of rows.", "reduction",
           "x: rows width", ROWS, "return torch.logsumexp(x.float(), -1).to(x.dtype)"),
    module("global_average_pool", "The mean of each channel.", "reduction",
           "x: batch channels height width", IMAGES, "return x.mean((-1, -2))"),
    module("global_max_pool", "The largest of each channel.", "reduction",
           "x: batch channels height width", IMAGES, "return x.amax((-1, -2))"),
    module("masked_mean", "The mean of the rows that count.", "reduction",
           "x: rows width, probabilities: rows", ROWS[1:],
           "mask = (probabilities > 0.3).float()[:, None]",
           "return ((x.float() * mask).sum(0) / mask.sum().clamp(min=1.0)).to(x.dtype)", steps=4),
    module("cosine_similarity", "The cosine between rows.", "reduction",
           "a: rows width, b: rows width", ROWS,
           "x, y = a.float(), b.float()",
           "lengths = torch.sqrt(x.square().sum(-1) * y.square().sum(-1) + 1e-6)",
           "return ((x * y).sum(-1) / lengths).to(a.dtype)", steps=4),
    module("pairwise_distance", "The distance between rows.", "reduction",
           "a: rows width, b: rows width", ROWS,
           "gap = a.float() - b.float()",
           "return torch.sqrt(gap.square().sum(-1) + 1e-6).to(a.dtype)", steps=4),
    module("entropy", "The entropy of the softmax of rows.", "reduction", "x: rows width", ROWS[1:],
           "logs = torch.log_softmax(x.float(), dim=-1)",
           "return -(logs.exp() * logs).sum(-1).to(x.dtype)", steps=6),
    module("row_extremes", "The least and the largest of rows.", "reduction", "x: rows width", ROWS,
           "return x.amin(-1), x.amax(-1)", outputs=2),
    module("squared_norm", "The sum of squares, as clipping gradients asks for it.", "reduction",
           "x: n", LINE, "return x.float().square().sum()", dtypes=SINGLE, steps=4),
    module("moments", "Mean and mean square of columns.", "reduction", "x: rows width", ROWS,
           "y = x.float()", "return y.mean(0), y.square().mean(0)", dtypes=SINGLE, steps=4,
           outputs=2),
)  # fmt: skip

LOSSES = (
    module("mse_loss", "The mean squared error.", "loss", "x: rows width, y: rows width", ROWS,
           "return (x.float() - y.float()).square().mean()", dtypes=SINGLE, steps=4),
    module("huber_loss", "Huber's loss of each row.", "loss",
           "x: rows width, y: rows width, delta=1.0", ROWS,
           "gap = (x.float() - y.float()).abs()",
           "loss = torch.where(gap < delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))",
           "return loss.mean(-1)", dtypes=SINGLE, steps=4),
    module("binary_cross_entropy", "Binary cross entropy of logits, by row.", "loss",
           "x: rows width, probabilities: rows width", ROWS,
           "y = x.float()", "loss = y.clamp(min=0.0) - y * probabilities",
           "return (loss + torch.log1p(torch.exp(-y.abs()))).mean(-1)", dtypes=SINGLE, steps=4),
    module("kl_divergence", "The divergence of one distribution from another, by row.", "loss",
           "x: rows width, y: rows width", ROWS[1:],
           "p, q = torch.log_softmax(x.float(), -1), torch.log_softmax(y.float(), -1)",
           "return (p.exp() * (p - q)).sum(-1)", dtypes=SINGLE, steps=8),
    module("cross_entropy", "Cross entropy of each row against its class.", "loss",
           "x: rows width, target: rows", ROWS[1:],
           "logs = torch.log_softmax(x.float(), -1)",
           "return -logs.gather(1, target[:, None])[:, 0]", dtypes=SINGLE, steps=4),
    module("smooth_cross_entropy", "Cross entropy with smoothed labels.", "loss",
           "x: rows width, target: rows, smooth=0.1", ROWS[1:],
           "logs = torch.log_softmax(x.float(), -1)",
           "hit = -logs.gather(1, target[:, None])[:, 0]",
           "return (1 - smooth) * hit - smooth * logs.mean(-1)", dtypes=SINGLE, steps=4),
    module("focal_loss", "The focal loss of logits, by row.", "loss",
           "x: rows width, probabilities: rows width", ROWS,
           "p = torch.sigmoid(x.float())",
           "hit = p * probabilities + (1 - p) * (1 - probabilities)",
           "return (-(1 - hit).square() * torch.log(hit.clamp(min=1e-6))).mean(-1)",
           dtypes=SINGLE, steps=8),
    module("triplet_loss", "The triplet loss of rows.", "loss",
           "a: rows width, b: rows width, c: rows width, margin=1.0", ROWS,
           "near = (a.float() - b.float()).square().sum(-1)",
           "far = (a.float() - c.float()).square().sum(-1)",
           "return torch.relu(near - far + margin)", dtypes=SINGLE, steps=8, absolute=1e-4),
    module("gaussian_nll", "The negative logarithm of a normal density, by row.", "loss",
           "x: rows width, mean: rows width, variance: rows width", ROWS,
           "gap = x.float() - mean.float()",
           "return 0.5 * (torch.log(variance) + gap * gap / variance).mean(-1)",
           dtypes=SINGLE, steps=8),
)  # fmt: skip

PRODUCTS = (
    module("linear", "A linear layer.", "matmul",
           "x: rows inner, weight: width inner, bias: width", MATRICES,
           "return F.linear(x.float(), weight.float(), bias.float()).to(x.dtype)",
           steps=8, absolute=1e-4),
    module("linear_gelu", "A linear layer, then GELU.", "matmul",
           "x: rows inner, weight: width inner, bias: width", MATRICES,
           "return F.gelu(F.linear(x.float(), weight.float(), bias.float())).to(x.dtype)",
           steps=8, absolute=1e-4),
    module("linear_residual", "A linear layer beside what was before it.", "matmul",
           "x: rows inner, weight: width inner, residual: rows width", MATRICES,
           "return (x.float() @ weight.float().t() + residual.float()).to(x.dtype)",
           steps=8, absolute=1e-4),
    module("low_rank", "A weight with a correction of low rank.", "matmul",
           "x: rows inner, weight: inner width, down: inner 8, up: 8 width", MATRICES,
           "y = x.float()",
           "return (y @ weight.float() + (y @ down.float()) @ up.float()).to(x.dtype)",
           steps=16, absolute=1e-3),
    module("feed_forward", "Two linear layers with GELU between.", "matmul",
           "x: rows inner, up: inner width, down: width inner", FEEDS,
           "hidden = F.gelu(x.float() @ up.float())",
           "return (hidden @ down.float()).to(x.dtype)", dtypes=SINGLE, steps=16, absolute=1e-3),
    module("gated_feed_forward", "A gated feed-forward layer.", "matmul",
           "x: rows inner, up: inner width, gate: inner width, down: width inner", FEEDS,
           "hidden = F.silu(x @ gate) * (x @ up)", "return hidden @ down",
           dtypes=SINGLE, steps=16, absolute=1e-3),
    module("batched_product", "Products of matrices in a batch.", "matmul",
           "x: heads queries width, y: heads width keys", HEADS,
           "return torch.bmm(x.float(), y.float()).to(x.dtype)", steps=8, absolute=1e-4),
    module("attention_scores", "Scores of queries against keys, as probabilities.", "attention",
           "q: heads queries width, k: heads keys width", HEADS,
           "scores = torch.bmm(q.float(), k.float().transpose(1, 2)) * 0.125",
           "return torch.softmax(scores, dim=-1).to(q.dtype)", steps=8, absolute=1e-4),
    module("attention", "Attention of all heads.", "attention",
           "q: heads queries width, k: heads keys width, v: heads keys width", HEADS,
           "scores = torch.bmm(q.float(), k.float().transpose(1, 2)) * 0.125",
           "return torch.bmm(torch.softmax(scores, dim=-1), v.float()).to(q.dtype)",
           dtypes=SINGLE, steps=16, absolute=1e-3),
    module("linear_layer_norm", "Layer normalisation of a linear layer.", "matmul",
           "x: rows inner, weight: inner width", FEEDS,
           "return F.layer_norm(x @ weight, (weight.shape[1],))", dtypes=SINGLE, steps=32,
           absolute=1e-3),
    module("squeeze_excite", "Channels weighed by what the whole image says.", "matmul",
           "x: batch channels height width, down: channels 4, up: 4 channels", IMAGES,
           "pooled = x.float().mean((-1, -2))",
           "weights = torch.sigmoid(torch.relu(pooled @ down.float()) @ up.float())",
           "return (x.float() * weights[:, :, None, None]).to(x.dtype)", steps=8, absolute=1e-4),
    module("expert_choice", "Probabilities of experts for each token.", "matmul",
           "x: rows inner, weight: inner width", MATRICES,
           "return torch.softmax(x.float() @ weight.float(), dim=-1).to(x.dtype)",
           steps=8, absolute=1e-4),
)  # fmt: skip

MEMORY = (
    module("embedding", "Rows of a table, and what their places add.", "gather-scatter",
           "table: many width, places: rows width, index: rows", BAGS,
           "return table[index] + places"),
    module("scaled_embedding", "Rows of a table, scaled by the root of their width.",
           "gather-scatter", "table: many width, index: rows", BAGS,
           "return table[index] * 8.0"),
    module("rotary", "Rotary embedding: halves of rows turned against each other.", "element-wise",
           "a: rows width, b: rows width, cos: rows width, sin: rows width", ROWS,
           "return a * cos - b * sin, b * cos + a * sin", outputs=2, dtypes=SINGLE),
    module("shift_tokens", "Each row mixed with the row before it.", "element-wise",
           "x: rows width, mix: width", ROWS[1:],
           "before = torch.cat([torch.zeros_like(x[:1]), x[:-1]])",
           "return x + (before - x) * mix", dtypes=SINGLE, steps=4),
    module("interleave", "Two rows, element by element in turn.", "other",
           "a: rows width, b: rows width", ROWS, "return torch.stack([a, b], dim=-1)"),
    module("concatenate", "Rows beside rows.", "other", "a: rows width, b: rows width", ROWS,
           "return torch.cat([a, b], dim=-1)"),
    module("absmax_quantise", "Rows as whole numbers, and their scale.", "quantization",
           "x: rows width", ROWS,
           "largest = x.float().abs().amax(-1, keepdim=True).clamp(min=1e-6)",
           "return x.float() / largest, largest / 127.0", outputs=2, dtypes=SINGLE, steps=4),
    module("dequantise", "Whole numbers with a scale a row.", "quantization",
           "codes: rows width, scale: rows", ROWS,
           "return codes.to(scale.dtype) * scale[:, None]"),
)  # fmt: skip

OPTIMISERS = (
    module("sgd_momentum", "One step of SGD with momentum.", "optimizer",
           "weight: n, grad: n, velocity: n, lr=0.1, momentum=0.9", LINE,
           "velocity = momentum * velocity + grad", "return weight - lr * velocity, velocity",
           outputs=2, dtypes=SINGLE),
    module("rmsprop", "One step of RMSProp.", "optimizer",
           "weight: n, grad: n, square: n, lr=0.01", LINE,
           "square = 0.99 * square + 0.01 * grad * grad",
           "return weight - lr * grad / (torch.sqrt(square) + 1e-8), square",
           outputs=2, dtypes=SINGLE, steps=4),
    module("lion", "One step of Lion.", "optimizer",
           "weight: n, grad: n, mean: n, lr=0.001", LINE,
           "step = torch.sign(0.9 * mean + 0.1 * grad)",
           "return weight - lr * step, 0.99 * mean + 0.01 * grad", outputs=2, dtypes=SINGLE),
    module("adamw", "One step of AdamW without correction of its start.", "optimizer",
           "weight: n, grad: n, mean: n, square: n, lr=0.001", LINE,
           "mean = 0.9 * mean + 0.1 * grad", "square = 0.999 * square + 0.001 * grad * grad",
           "weight = weight * (1 - 0.01 * lr)",
           "return weight - lr * mean / (torch.sqrt(square) + 1e-8), mean, square",
           outputs=3, dtypes=SINGLE, steps=4),
    module("moving_average", "A running average of weights.", "optimizer",
           "average: n, weight: n, decay=0.9", LINE,
           "return decay * average + (1 - decay) * weight", steps=4),
)  # fmt: skip

MODULES: tuple[Sketch, ...] = (
    *ACTIVATIONS, *NORMALISATIONS, *REDUCTIONS, *LOSSES, *PRODUCTS, *MEMORY, *OPTIMISERS,
)  # fmt: skip
