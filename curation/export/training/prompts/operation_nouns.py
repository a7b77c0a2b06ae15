"""Nouns for the operations of a pair's Python code. Used if its description is only a name."""

from __future__ import annotations

import ast

from curation.similarity.operation_names import MODULES
from curation.similarity.operations import operation_chain

MAIN: dict[str, str] = {
    **dict.fromkeys(("softmax", "log_softmax"), "a softmax"),
    **dict.fromkeys(
        ("matmul", "linear", "addmm", "baddbmm", "mv", "dot", "outer"), "a matrix product"
    ),
    "einsum": "a tensor contraction",
    "scaled_dot_product_attention": "attention",
    **dict.fromkeys(("sort", "argsort", "topk", "median", "kthvalue"), "a sort"),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"), "a running total"),
    **dict.fromkeys(("argmax", "argmin"), "the index of an extreme"),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"), "a convolution"
    ),
    **dict.fromkeys(("gather", "embedding", "index_select", "take_along_dim"), "a gather by index"),
    **dict.fromkeys(
        ("index_add", "scatter_add", "scatter", "scatter_reduce"), "a scatter by index"
    ),
    **dict.fromkeys(("tril", "triu", "masked_fill"), "a mask"),
    "layer_norm": "layer normalization", "group_norm": "group normalization",
    "batch_norm": "batch normalization", "instance_norm": "instance normalization",
    "rms_norm": "RMS normalization",
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d"), "pooling"),
    "cross_entropy": "a cross entropy loss", "nll_loss": "a negative log-likelihood loss",
    "kl_div": "a Kullback-Leibler divergence", "mse_loss": "a mean squared error loss",
    "huber_loss": "a Huber loss", "smooth_l1_loss": "a smooth L1 loss",
    "binary_cross_entropy_with_logits": "a binary cross entropy loss",
    **dict.fromkeys(("logsumexp", "logaddexp"), "a log-sum-exp"),
    "dropout": "dropout", "gelu": "GELU", "silu": "SiLU", "mish": "Mish", "relu": "ReLU",
    "relu6": "ReLU6", "celu": "CELU", "selu": "SELU", "elu": "ELU", "leaky_relu": "leaky ReLU",
    "softplus": "softplus", "softsign": "softsign", "softshrink": "soft shrinkage",
    "hardshrink": "hard shrinkage", "hardswish": "the hard swish",
    "hardsigmoid": "the hard sigmoid", "hardtanh": "the hard tanh", "tanhshrink": "tanhshrink",
    "logsigmoid": "the log-sigmoid", "sigmoid": "the sigmoid", "tanh": "tanh",
    "asinh": "the inverse hyperbolic sine", "erf": "the error function",
}  # fmt: skip
# Nouns of minor operations. In a description they come after the nouns of MAIN.
MINOR: dict[str, str] = {
    "exp": "an exponential", "log": "a logarithm", "sqrt": "a square root",
    "rsqrt": "an inverse square root", "square": "a square", "pow": "a power",
    "abs": "an absolute value", "clamp": "a clamp", "sin": "a sine", "cos": "a cosine",
    "sum": "a sum", "mean": "a mean", "amax": "a maximum", "max": "a maximum",
    "amin": "a minimum", "min": "a minimum", "var": "a variance", "div": "a quotient",
    "mul": "a multiplication", "add": "an addition", "sub": "a difference",
    "cat": "a concatenation", "rearrange": "a rearrangement", "chunk": "a split into parts",
    "where": "a selection",
}  # fmt: skip
MOST_NAMED = 5


def operation_nouns(python_code: str, entry_point: str) -> list[str]:
    """Return the nouns of the first operations of a reference. Nouns of MAIN come first."""
    names = operation_chain(python_code, entry_point)
    if not any(name in MAIN or name in MINOR for name in names):
        names = tuple(_called(python_code))
    nouns = [table[name] for table in (MAIN, MINOR) for name in names if name in table]
    return list(dict.fromkeys(nouns))[:MOST_NAMED]


def _called(python_code: str) -> list[str]:
    """Return the functions and modules that a text calls, if its operations have no noun."""
    names = []
    for node in ast.walk(ast.parse(python_code)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            names.append(MODULES.get(name, name.lower()))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            names.append("matmul")
    return names
