"""Names of torch operations by their effect on data: allocate, view, move or compute.

Recorder, replayer and judge share these lists. The names are those of `torch.ops.aten`, without
overloads. This module does not import torch.
"""

# Operations that return uninitialized memory.
UNFILLED = frozenset({"empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided"})
FILLED = {"zeros": 0, "zeros_like": 0, "new_zeros": 0, "ones": 1, "ones_like": 1, "new_ones": 1}
# Operations that return memory filled with one of their arguments, and that argument's position.
FILLED_WITH = {"full": 1, "full_like": 1, "new_full": 2, "scalar_tensor": 0}
RANDOM_LIKE = frozenset({"rand_like", "randn_like", "randint_like"})
WITHOUT_DATA = frozenset({*UNFILLED, *FILLED, *FILLED_WITH, *RANDOM_LIKE})

# View operations that torch does not mark as views, and queries that don't change a tensor.
VIEWS = frozenset({
    "detach", "alias", "_unsafe_view", "lift_fresh", "is_pinned", "is_same_size", "set_",
    "record_stream", "_version", "resize_", "is_set_to",
})  # fmt: skip
NOT_IN_GRAPH = frozenset({
    "detach", "alias", "is_pinned", "is_same_size", "_version", "is_set_to", "record_stream",
})  # fmt: skip
COPIES = frozenset({"clone", "_to_copy", "contiguous", "lift_fresh_copy"})

# Operations that move data. A replay supports all overloads, also in the gradient graph.
MOVES = frozenset({
    "clone", "_to_copy", "contiguous", "lift_fresh_copy", "copy_", "fill_", "zero_",
    "view", "_unsafe_view", "_reshape_alias", "reshape", "view_as", "expand", "expand_as",
    "permute", "transpose", "transpose_", "t", "t_", "movedim", "swapaxes", "slice", "select",
    "narrow", "unsqueeze", "unsqueeze_", "squeeze", "squeeze_", "as_strided", "unfold", "diagonal",
    "split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes", "chunk", "unbind",
    "detach", "alias", "lift_fresh", "real", "imag", "view_as_real", "view_as_complex",
})  # fmt: skip

# Moves that depend on data or join tensors.
ARRANGES = frozenset({
    "cat", "stack", "index", "index_select", "gather", "take", "masked_select", "index_put",
    "index_put_", "_index_put_impl_", "index_copy", "index_copy_", "scatter", "scatter_", "repeat",
    "repeat_interleave", "roll", "flip", "constant_pad_nd", "slice_scatter", "select_scatter",
    "slice_backward", "select_backward", "copy", "resolve_conj", "resolve_neg",
})  # fmt: skip

# Operations that a launcher may use for a minor part of its work. A replay runs them on the true
# data, and the report names them. Matrix products, convolutions, attention and complete layers are
# not listed, because they would do the work in place of the launcher's kernels.
COMPUTES = frozenset({
    # arithmetic
    "add", "add_", "sub", "sub_", "rsub", "mul", "mul_", "div", "div_", "neg", "neg_", "abs",
    "abs_", "reciprocal", "reciprocal_", "pow", "pow_", "square", "sqrt", "sqrt_", "rsqrt",
    "rsqrt_", "exp", "exp_", "exp2", "log", "log_", "log2", "log1p", "expm1", "sigmoid",
    "sigmoid_", "tanh", "relu", "relu_", "sign", "floor", "ceil", "round", "trunc", "frac",
    "floor_divide", "remainder", "fmod", "clamp", "clamp_", "clamp_min", "clamp_min_", "clamp_max",
    "clamp_max_", "maximum", "minimum", "addcmul", "addcmul_", "addcdiv", "addcdiv_", "lerp",
    "lerp_", "nan_to_num", "sin", "cos",
    # comparison and logic
    "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_and", "logical_or",
    "logical_not", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_not", "bitwise_xor",
    "bitwise_left_shift", "bitwise_right_shift", "__lshift__", "__rshift__", "where",
    # reductions
    "sum", "mean", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all", "var",
    "std", "var_mean", "logsumexp", "linalg_vector_norm", "norm", "count_nonzero", "bincount",
    "median", "aminmax", "_softmax", "_log_softmax",
    # order and position
    "cumsum", "cumprod", "cummax", "diff", "sort", "argsort", "topk", "unique_consecutive",
    "_unique2", "nonzero", "searchsorted", "bucketize", "histc",
    # positions and masks
    "masked_fill", "masked_fill_", "index_fill", "index_fill_", "index_add", "index_add_",
    "scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_",
    "tril", "tril_", "triu", "triu_", "embedding",
    *ARRANGES,
})  # fmt: skip


def base_name(name: str) -> str:
    """Return the name without namespace and overload: `sum` for `aten::sum.dim_IntList`."""
    return name.rpartition("::")[2].partition(".")[0]


def can_play(name: str) -> bool:
    """Return whether a replay plays the operation."""
    return base_name(name) in MOVES or base_name(name) in COMPUTES
