"""Layers that map elements: activations, gates, optimizers."""

from validation.pairs.inductor.modules.describing import IMAGES, LINE, ROWS, SINGLE, module

ACTIVATIONS = (
    module("bias_gelu", "Add a bias, then apply GELU.",
           "element-wise", "x: rows width, bias: width", ROWS,
           "return F.gelu(x + bias)"),
    module("layer_scale", "Scale a branch by channel and add it to the residual input.",
           "element-wise", "x: rows width, branch: rows width, gamma: width", ROWS,
           "return x + gamma * branch"),
    module("parametric_relu", "Apply PReLU with one slope per channel.", "element-wise",
           "x: rows width, slope: width", ROWS, "return torch.where(x > 0, x, slope * x)"),
    module("complex_product", "Multiply complex numbers given as real and imaginary parts.",
           "element-wise",
           "a: n, b: n, c: n, d: n", LINE, "return a * c - b * d, a * d + b * c", outputs=2,
           dtypes=SINGLE),
    module("channel_affine", "Apply an affine map to each channel of images.", "element-wise",
           "x: batch channels height width, weight: channels, bias: channels", IMAGES,
           "y = x.float() * weight.float()[:, None, None]",
           "return (y + bias.float()[:, None, None]).to(x.dtype)"),
    module("alpha_blend", "Blend one image over another by its alpha channel.", "element-wise",
           "x: batch channels height width, below: batch channels height width, "
           "probabilities: batch height width", IMAGES,
           "alpha = probabilities.float()[:, None]",
           "return (alpha * x.float() + (1 - alpha) * below.float()).to(x.dtype)"),
)  # fmt: skip

OPTIMIZERS = (
    module("lion", "Take one step of Lion.", "optimizer",
           "weight: n, grad: n, mean: n, lr=0.001", LINE,
           "step = torch.sign(0.9 * mean + 0.1 * grad)",
           "return weight - lr * step, 0.99 * mean + 0.01 * grad", outputs=2, dtypes=SINGLE),
    module("adamw", "Take one step of AdamW without bias correction.", "optimizer",
           "weight: n, grad: n, mean: n, square: n, lr=0.001", LINE,
           "mean = 0.9 * mean + 0.1 * grad", "square = 0.999 * square + 0.001 * grad * grad",
           "weight = weight * (1 - 0.01 * lr)",
           "return weight - lr * mean / (torch.sqrt(square) + 1e-8), mean, square",
           outputs=3, dtypes=SINGLE, steps=4),
)  # fmt: skip
