"""Chains of operations as models use them: epilogues, gates, scores, updates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.integers import INTEGERS
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import (
    ADD_BIAS,
    ADD_MASK,
    ADD_RESIDUAL,
    AFFINE,
    BINARY,
    DROPOUT,
    DROPOUT_RESIDUAL,
    FILL_MASK,
    GATED_RESIDUAL,
    GATES,
    HADAMARD,
    LAYER_SCALE,
    MODULATE,
    OUTER,
    POSITION_BIAS,
    SCALED_RESIDUAL,
    STANDARDIZE,
    TERNARY,
    TOKEN_SCALE,
)
from validation.pairs.recipes.unary import ACTIVATIONS, UNARY

NAMED = {operation.name: operation for operation in (*UNARY, *BINARY, *TERNARY)}


def _named(*names: str) -> tuple[Operation, ...]:
    return tuple(NAMED[name] for name in names)


def _chains(*places: Iterable[tuple[Operation, ...]]) -> tuple[Chain, ...]:
    """Return a chain for each combination, with one element from each iterable."""
    return tuple(Chain(sum(operations, ())) for operations in itertools.product(*places))


def chains(*places: Iterable[Operation]) -> tuple[Chain, ...]:
    """Return all chains with one operation from each tuple."""
    return tuple(Chain(operations) for operations in itertools.product(*places))


def chain_of(*names: str) -> Chain:
    return Chain(_named(*names))


def _alone(operations: Iterable[Operation]) -> tuple[tuple[Operation, ...], ...]:
    return tuple((operation,) for operation in operations)


NONE: tuple[Operation, ...] = ()
CLAMP, CAP, SOFT_CAP, SCALE, TEMPERATURE = _named(
    "clamp", "cap", "soft_cap", "scale_scores", "temperature"
)
# Other activations are bounded or non-negative, so clamping would have little effect.
UNBOUNDED = tuple(
    one
    for one in ACTIVATIONS
    if one.name
    not in (
        "sigmoid",
        "tanh",
        "hard_sigmoid",
        "softsign",
        "relu6",
        "log_sigmoid",
        "relu",
        "squared_relu",
        "softplus",
        "selu",
        "celu",
        "snake",
    )
)
# These return values below -1.5, the lower bound of the clamp.
NEGATIVE = _named("selu", "celu", "snake")
COMMON = _named("relu", "gelu", "gelu_tanh", "silu", "quick_gelu", "mish", "squared_relu", "tanh",
                "sigmoid", "elu", "leaky_relu", "hard_swish")  # fmt: skip
AFTER_ACTIVATION = (
    (ADD_RESIDUAL,),
    (LAYER_SCALE,),
    (SCALED_RESIDUAL,),
    (DROPOUT,),
    (DROPOUT_RESIDUAL,),
    (TOKEN_SCALE,),
    (HADAMARD,),
    (DROPOUT, TOKEN_SCALE),
    (HADAMARD, ADD_RESIDUAL),
)
BIASED = ((ADD_BIAS,), (AFFINE,), (STANDARDIZE,), (MODULATE,))

FEED_FORWARD = (
    *_chains(BIASED, _alone(ACTIVATIONS)),
    *_chains(_alone(ACTIVATIONS), AFTER_ACTIVATION),
    *_chains(BIASED, _alone(ACTIVATIONS), AFTER_ACTIVATION),
    *_chains((NONE, (ADD_BIAS,)), _alone(UNBOUNDED), ((CAP,), (CAP, LAYER_SCALE))),
    *_chains((NONE, (ADD_BIAS,)), _alone(NEGATIVE), ((CLAMP,), (CLAMP, LAYER_SCALE))),
)
GATED = (
    *_chains(((ADD_BIAS,),), _alone(GATES)),
    *_chains((NONE, (ADD_BIAS,)), _alone(GATES),
             ((ADD_RESIDUAL,), (TOKEN_SCALE,), (DROPOUT,), (CLAMP,), (DROPOUT_RESIDUAL,),
              (SCALED_RESIDUAL,), (DROPOUT, TOKEN_SCALE))),
)  # fmt: skip
RESIDUALS = (
    *_chains(((ADD_BIAS,), (DROPOUT,), (LAYER_SCALE,), (ADD_BIAS, DROPOUT)),
             ((ADD_RESIDUAL,), (ADD_RESIDUAL, *_named("relu")))),
    *_chains(((ADD_BIAS,), NONE), ((SCALED_RESIDUAL,), (DROPOUT_RESIDUAL,), (GATED_RESIDUAL,))),
    *_chains(((ADD_RESIDUAL,),), _alone(COMMON)),
    *_chains(((AFFINE,), (STANDARDIZE,)), ((ADD_RESIDUAL,),), (NONE, *_alone(COMMON))),
)  # fmt: skip
SCALES = _alone(_named("scale_scores", "scale_scores_128", "temperature", "scale_by_2"))
CAPS = _alone(_named("soft_cap"))
MASKS = ((ADD_MASK,), (FILL_MASK,), (POSITION_BIAS,))
SCORES = (
    *_chains(SCALES, MASKS),
    *_chains((*SCALES[:2], NONE), CAPS, MASKS),
    *_chains((*SCALES, NONE), ((POSITION_BIAS,),), MASKS[:2]),
    *_chains(SCALES, CAPS),
    *_chains(((ADD_BIAS,),), (*SCALES[2:3], *CAPS)),
    *_chains(((ADD_MASK,), (ADD_BIAS,), (LAYER_SCALE,)), ((FILL_MASK,),)),
)
PREPARATIONS = (
    *_chains((_named("rescale_pixels"),), ((STANDARDIZE,), (AFFINE,), (DROPOUT,))),
    *_chains((_named("subtract_mean"),), ((LAYER_SCALE,), (CLAMP,), _named("square"))),
    *_chains((_named("squared_magnitude"), _named("magnitude")), (_named("signed_log"),)),
    *_chains((_named("signed_log"),), ((LAYER_SCALE,), (AFFINE,), (STANDARDIZE,))),
    *_chains((_named("squared_error"), _named("absolute_error"), _named("smooth_l1")),
             ((TOKEN_SCALE,), (DROPOUT,))),
    *_chains((_named("tanh"),), ((AFFINE,), (LAYER_SCALE,), (HADAMARD,))),
    *_chains((_named("clip_value"), _named("clamp")),
             (_named("momentum"), _named("ema_update"), (LAYER_SCALE,), (TOKEN_SCALE,))),
    *_chains((_named("gru_update"), _named("interpolate"), _named("guidance")), (_named("tanh"),
             _named("clamp"), (TOKEN_SCALE,), (DROPOUT,))),
    *_chains((_named("prelu"), _named("swish_beta")), AFTER_ACTIVATION),
    *_chains(((ADD_BIAS,),), (_named("prelu"), _named("swish_beta"))),
)  # fmt: skip
SINGLES = (*_chains(_alone(UNARY)), *_chains(_alone(BINARY)), *_chains(_alone(TERNARY)))
BLOCKS = tuple(
    chain
    for chain in (*FEED_FORWARD, *GATED, *RESIDUALS, *SCORES, *PREPARATIONS)
    if chain.has_distinct_names
)


def only(
    chains: Iterable[Chain], *kinds: str, draws: tuple[str, ...] = ("normal", "positive", "mask")
) -> tuple[Chain, ...]:
    """Return the chains whose additional operands all have these kinds and distributions."""
    return tuple(
        chain
        for chain in chains
        if all(one.kind in kinds and one.draw in draws for one in chain.further)
    )


# Values that models sum, average or search for an extreme.
SUMMANDS = (
    Chain(()),
    *_chains(_alone(_named(
        "absolute", "square", "relu", "gelu", "silu", "sigmoid", "tanh", "softplus", "log_sigmoid",
        "signed_log", "gaussian", "clamp", "elu", "leaky_relu", "squared_relu", "mish",
        "hard_swish", "standard_deviation", "cosine", "sine", "hard_shrink", "binarize", "erf",
        "add_residual", "multiply", "sigmoid_gate", "silu_gate", "gelu_gate", "relu_gate",
        "tanh_gate", "drop", "squared_error", "absolute_error", "smooth_l1", "lower_bound",
        "upper_bound", "ema_update", "magnitude", "squared_magnitude", "log_add_exp",
        "add_attention_mask", "gru_update", "multiply_add", "reparameterize", "clamp_between",
        "luma", "rotate"))),
    *_chains((_named("add_residual"),),
             _alone(_named("relu", "gelu", "silu", "sigmoid", "tanh", "clamp", "square"))),
    *_chains((_named("multiply"),), _alone(_named("tanh", "sigmoid", "clamp", "absolute"))),
    *_chains(_alone(_named("squared_magnitude", "magnitude")), (_named("signed_log"),)),
    *_chains(_alone(_named("relu", "gelu", "silu", "tanh", "sigmoid", "softplus", "clamp",
                           "leaky_relu", "elu", "mish")),
             _alone(_named("multiply", "drop", "squared_error", "absolute_error"))),
)  # fmt: skip
# Values that models scan, sort, pool or scatter.
UNORDERED = {"drop", "reparameterize", "gru_update", "luma", "rotate", "sine", "cosine", "erf",
             "standard_deviation", "gaussian", "binarize", "hard_shrink", "clamp_between",
             "lower_bound", "upper_bound"}  # fmt: skip
SERIES = tuple(
    chain
    for chain in SUMMANDS
    if not UNORDERED & {operation.name for operation in chain.operations}
)
# Inputs of a loss.
PREDICTIONS = (
    Chain(()),
    *_chains(_alone(_named("sigmoid", "tanh", "softplus", "clamp", "temperature", "scale_scores",
                           "scale_by_2", "signed_log", "relu", "add_residual", "drop", "multiply",
                           "ema_update", "interpolate"))),
    *_chains((_named("add_residual"), _named("multiply")),
             _alone(_named("sigmoid", "tanh", "clamp", "softplus"))),
)  # fmt: skip
# Inputs of dropout and noise.
ACTIVATIONS_AND_SUMS = (
    Chain(()),
    *_chains(_alone(ACTIVATIONS)),
    *_chains((*_alone(GATES), (ADD_RESIDUAL,), (HADAMARD,))),
    *_chains(((ADD_RESIDUAL,),), _alone(COMMON)),
)
BEFORE_NORM = (
    Chain(()),
    *_chains(((ADD_RESIDUAL,), (DROPOUT,), (HADAMARD,), (DROPOUT_RESIDUAL,), (GATED_RESIDUAL,),
              (SCALED_RESIDUAL,), (ADD_BIAS,), (ADD_BIAS, ADD_RESIDUAL), (DROPOUT, ADD_RESIDUAL),
              (ADD_BIAS, DROPOUT, ADD_RESIDUAL), (SCALE,), _named("scale_by_2"),
              *_alone(GATES), *_alone(COMMON))),
    *_chains(_alone(COMMON), ((ADD_RESIDUAL,), (HADAMARD,), (DROPOUT,))),
    *_chains(((ADD_BIAS,),), _alone(COMMON)),
    *_chains(((ADD_BIAS,), (ADD_RESIDUAL,)), ((CLAMP,), (DROPOUT,))),
)  # fmt: skip
BEFORE_SOFTMAX = (
    Chain(()),
    *_chains(((SCALE,), (TEMPERATURE,), (SOFT_CAP,), (ADD_MASK,), (FILL_MASK,), (POSITION_BIAS,),
              (ADD_BIAS,), _named("negate"), _named("scale_by_2"), _named("soft_cap_50"))),
    *_chains((_named("absolute_error"), _named("squared_error"))),
    *SCORES,
    *_chains((_named("absolute_error"), _named("squared_error")),
             (_named("negate"),)),
)  # fmt: skip
AFTER_NORM = (
    Chain(()),
    *chains(_named("relu", "gelu", "silu", "gelu_tanh", "tanh", "sigmoid", "scale_by_2", "clamp",
                   "mish", "leaky_relu", "quick_gelu", "hard_swish", "squared_relu", "softplus",
                   "elu")),
)  # fmt: skip
EPILOGUES = (
    Chain(()),
    *_chains((*_alone(ACTIVATIONS), (ADD_BIAS,), (ADD_RESIDUAL,), (LAYER_SCALE,), (AFFINE,),
              (SCALED_RESIDUAL,), (HADAMARD,), (TOKEN_SCALE,), (SCALE,), (SOFT_CAP,), (ADD_MASK,),
              (FILL_MASK,), *_alone(GATES), (SCALE, ADD_MASK), (SCALE, SOFT_CAP),
              (SCALE, POSITION_BIAS), (SCALE, FILL_MASK), (ADD_BIAS, TEMPERATURE))),
    *FEED_FORWARD,
    *GATED,
    *RESIDUALS,
)  # fmt: skip

# Values of axes. The names of the tables refer to them.
DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))
BARE = Chain(())
NO_OPERATION = (BARE,)
UNARIES, BINARIES, TERNARIES = chains(UNARY), chains(BINARY), chains(TERNARY)
FLAT_BINARIES, FLAT_TERNARIES = only(BINARIES, "full"), only(TERNARIES, "full")
BROADCAST = tuple(chain for chain in BLOCKS if any(o.kind != "full" for o in chain.further))
FLAT = only(BLOCKS, "full")
FUSED = tuple(chain for chain in FLAT if len(chain.operations) == 2)
LONG_FUSED = tuple(chain for chain in FLAT if len(chain.operations) > 2)
MATRIX = (*chains(ACTIVATIONS), *FLAT_BINARIES, *FLAT)
CUBE = tuple(dict.fromkeys((*BINARIES, *SINGLES, *BLOCKS)))
AFTER_PAIRS = ("gaussian", "inverse_root", "relu", "tanh", "sigmoid", "softplus", "signed_log",
               "square", "clamp", "negate", "scale_by_2", "temperature")  # fmt: skip
PAIRS = (*chains(OUTER), *chains(OUTER, (one for one in UNARY if one.name in AFTER_PAIRS)))
WHOLE_NUMBERS = chains(INTEGERS, INTEGERS)
SHORT = tuple(chain for chain in SUMMANDS if not chain.further)
PAIRED = tuple(chain for chain in SUMMANDS if chain.further)
VECTOR_ROWS = only(BEFORE_NORM, "full", "row")
SCORE_ROWS = only(BEFORE_SOFTMAX, "full", "row")
LOOPED_ROWS = (*VECTOR_ROWS, *SCORE_ROWS[1:])
TILES = ((32, 32, 32), (64, 32, 32), (32, 64, 32), (64, 64, 32), (64, 64, 64), (128, 64, 32),
         (64, 128, 32), (128, 128, 32), (128, 128, 64))  # fmt: skip
VECTOR_EPILOGUES = only(EPILOGUES, "full", "row", draws=("normal", "positive"))
FLAT_EPILOGUES = only(EPILOGUES, "full")
AFTER_SPLIT = (BARE, *chains(ACTIVATIONS))
# Distances are not negative.
LOG1P = Operation("log1p", "take log(1 + x)", "torch.log1p({x})", "flog1p({x})")
AFTER_DISTANCE = (BARE, *chains((LOG1P, *(one for one in UNARY if one.name in (
    "negate", "scale_by_2", "scale_scores", "tanh", "clamp", "temperature")))))  # fmt: skip
EMBEDDED = (
    BARE,
    *only((*SINGLES, *RESIDUALS, *GATED), "full", draws=("normal", "positive", "mask")),
    *(chain for chain in FEED_FORWARD if all(one.kind == "full" for one in chain.further)),
)
MOVED = (BARE, *UNARIES)
SHORT_SERIES = tuple(chain for chain in SERIES if not chain.further)
ADDED = ("add_attention_mask", "add_position_bias")
SEARCHABLE = _named("absolute", "add_residual", *ADDED)
SEARCHED = (BARE, *chains(SEARCHABLE), *(chain for chain in chains(SEARCHABLE, SEARCHABLE)
                                         if chain.operations[1].name in ADDED))  # fmt: skip
# State-space models apply SiLU, so it gets a quarter of the choices.
AFTER_CONVOLUTION = (*FLAT_EPILOGUES, *(chain_of("silu"),) * 60)
GATING = tuple(one for one in ACTIVATIONS if one.name not in ("log_sigmoid", "selu", "celu"))
AFTER_GATE = (BARE, *chains(_named("clamp", "scale_by_2", "scale_scores")))
# Queries may be scaled by 1 / sqrt(head_dim) in the same kernel.
SCALED = (BARE, *chains(_named("scale_scores", "scale_scores_128")))
# Operations with at most one rounding.
ROUNDED_ONCE = _named("add_residual", "relu", "relu6", "clamp", "clip_value")
QUANTIZED = (BARE, *chains(ROUNDED_ONCE), *chains(ROUNDED_ONCE[:1], ROUNDED_ONCE[1:]))
