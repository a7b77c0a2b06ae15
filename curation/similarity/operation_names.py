"""Names of PyTorch's operations: synonyms, and operations that compute no values."""

from __future__ import annotations

import ast


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.BitAnd: "bitwise_and",
    ast.USub: "neg",
    ast.UAdd: "positive",
    ast.Invert: "bitwise_not",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Is: "is",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not_in",
}

ALIASES = {
    "absolute": "abs",
    "true_divide": "div",
    "divide": "div",
    "multiply": "mul",
    "subtract": "sub",
    "negative": "neg",
    "clip": "clamp",
    "expit": "sigmoid",
    "mm": "matmul",
    "bmm": "matmul",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "arctanh": "atanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "fix": "trunc",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "not_equal": "ne",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "moveaxis": "movedim",
    "concat": "cat",
    "concatenate": "cat",
    "view": "reshape",
}

COPIES = _words("contiguous detach requires_grad_ as_tensor cuda cpu")
"""Methods and functions that return the values of their input unchanged."""

CASTS = {
    "float": "",
    "double": "",
    "half": "cast_float16",
    "bfloat16": "cast_bfloat16",
    "int": "cast_int32",
    "long": "cast_int64",
    "short": "cast_int16",
    "bool": "cast_bool",
}
"""Methods that cast, with the operation's name. A cast to a wider float has "": it keeps values."""

FLOATS = frozenset({"float", "double", "float32", "float64", "device"})

SHAPES = {
    "shape": "shape",
    "ndim": "rank",
    "dim": "rank",
    "numel": "count",
    "dtype": "dtype",
    "device": "device",
    "is_cuda": "device",
    "element_size": "bytes",
    "is_contiguous": "layout",
}
"""Attributes and methods that describe a tensor and compute nothing."""

VIEWS = _words(
    "clone reshape unsqueeze squeeze expand expand_as permute transpose t T mT H flatten unflatten "
    "broadcast_to movedim chunk split unbind narrow view_index view_as select empty "
    "empty_like zeros zeros_like"
)
"""Operations that move, repeat or create values, but do not compute them from other values."""

MODULES = {
    "ReLU": "relu",
    "ReLU6": "relu6",
    "GELU": "gelu",
    "SiLU": "silu",
    "ELU": "elu",
    "CELU": "celu",
    "SELU": "selu",
    "GLU": "glu",
    "LeakyReLU": "leaky_relu",
    "PReLU": "prelu",
    "Hardtanh": "hardtanh",
    "Hardswish": "hardswish",
    "Hardsigmoid": "hardsigmoid",
    "LogSigmoid": "logsigmoid",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "LogSoftmax": "log_softmax",
    "LayerNorm": "layer_norm",
    "RMSNorm": "rms_norm",
    "GroupNorm": "group_norm",
    "BatchNorm1d": "batch_norm",
    "BatchNorm2d": "batch_norm",
    "BatchNorm3d": "batch_norm",
    "InstanceNorm1d": "instance_norm",
    "InstanceNorm2d": "instance_norm",
    "InstanceNorm3d": "instance_norm",
    "ConvTranspose1d": "conv_transpose1d",
    "ConvTranspose2d": "conv_transpose2d",
    "ConvTranspose3d": "conv_transpose3d",
    "MaxPool1d": "max_pool1d",
    "MaxPool2d": "max_pool2d",
    "MaxPool3d": "max_pool3d",
    "AvgPool1d": "avg_pool1d",
    "AvgPool2d": "avg_pool2d",
    "AvgPool3d": "avg_pool3d",
    "CrossEntropyLoss": "cross_entropy",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "KLDivLoss": "kl_div",
    "SmoothL1Loss": "smooth_l1_loss",
}
"""Functions of modules, where the name differs from the module's name in lower case."""
