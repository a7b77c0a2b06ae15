"""Chains of operations as models use them: epilogues, gates, scores, updates."""

from __future__ import annotations

from collections.abc import Iterable

from validation.pairs.recipes.chains import Chain
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
    choices: list[tuple[Operation, ...]] = [()]
    for place in places:
        choices = [(*before, *more) for before in choices for more in place]
    return tuple(Chain(operations) for operations in choices)


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
AFTER_NORM = (None, *_named("relu", "gelu", "silu", "gelu_tanh", "tanh", "sigmoid", "scale_by_2",
                            "clamp", "mish", "leaky_relu", "quick_gelu", "hard_swish",
                            "squared_relu", "softplus", "elu"))  # fmt: skip
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
