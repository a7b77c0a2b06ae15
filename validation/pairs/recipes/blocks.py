"""Chains of operations that occur in models: epilogues, gates, scores, updates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.integers import INTEGERS
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import BINARY, GATES, OUTER, TERNARY
from validation.pairs.recipes.unary import ACTIVATIONS, UNARY

# Used on distances, which are never negative.
LOG1P = Operation("log1p", "take log(1 + x)", "torch.log1p({x})", "flog1p({x})")
NAMED = {operation.name: operation for operation in (*UNARY, *BINARY, *TERNARY, LOG1P)}
GROUPS = {
    "ACTIVATIONS": " ".join(operation.name for operation in ACTIVATIONS),
    # Other activations are bounded or never negative, so clamping would have little effect.
    "UNBOUNDED": "gelu gelu_tanh quick_gelu silu mish leaky_relu elu hard_swish",
    # The results can be below -1.5, the lower bound of the clamp.
    "NEGATIVE": "selu celu snake",
    "COMMON": "relu gelu gelu_tanh silu quick_gelu mish squared_relu tanh sigmoid elu leaky_relu "
    "hard_swish",
    "GATES": " ".join(operation.name for operation in GATES),
    "AFTER_ACTIVATION": "add_residual layer_scale layer_scale_residual drop dropout_residual "
    "token_scale multiply drop+token_scale multiply+add_residual",
    "BIASED": "add_bias affine standardize modulate",
    "SCALES": "scale_scores scale_scores_128 temperature scale_by_2",
    "MASKS": "add_attention_mask fill_masked add_position_bias",
    "ERRORS": "squared_error absolute_error",
    "EXACT": "absolute add_residual add_attention_mask add_position_bias",
    # Operations that round at most once.
    "ROUNDED_ONCE": "add_residual relu relu6 clamp clip_value",
}


def chain_of(*names: str) -> Chain:
    return Chain(tuple(NAMED[name] for name in names))


def chains(*places: Iterable[Operation]) -> tuple[Chain, ...]:
    """Return all chains that take one operation from each of the tuples."""
    return tuple(Chain(operations) for operations in itertools.product(*places))


def _chains(*patterns: str) -> tuple[Chain, ...]:
    """Return the chains of patterns such as “add_bias drop+add_residual > COMMON”.

    A chain takes one alternative from each part between `>`. A name in capitals is a group of
    alternatives. A plus joins operations, and a hyphen stands for no operation.
    """
    return tuple(
        chain_of(*itertools.chain(*alternatives))
        for pattern in patterns
        for alternatives in itertools.product(*map(_alternatives, pattern.split(" > ")))
    )


def _alternatives(place: str) -> Iterator[tuple[str, ...]]:
    for word in place.split():
        if word in GROUPS:
            yield from _alternatives(GROUPS[word])
        else:
            yield () if word == "-" else tuple(word.split("+"))


def only(
    chains: Iterable[Chain], *kinds: str, draws: tuple[str, ...] = ("normal", "positive", "mask")
) -> tuple[Chain, ...]:
    """Return the chains whose additional operands all have one of these kinds and distributions."""
    return tuple(
        chain
        for chain in chains
        if all(one.kind in kinds and one.draw in draws for one in chain.further)
    )


BARE = Chain(())
NO_OPERATION = (BARE,)
DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))
FEED_FORWARD = _chains(
    "BIASED > ACTIVATIONS",
    "ACTIVATIONS > AFTER_ACTIVATION",
    "BIASED > ACTIVATIONS > AFTER_ACTIVATION",
    "- add_bias > UNBOUNDED > cap cap+layer_scale",
    "- add_bias > NEGATIVE > clamp clamp+layer_scale",
)
GATED = _chains(
    "add_bias > GATES",
    "- add_bias > GATES > add_residual token_scale drop clamp dropout_residual "
    "layer_scale_residual drop+token_scale",
)
RESIDUALS = _chains(
    "add_bias drop layer_scale add_bias+drop > add_residual add_residual+relu",
    "add_bias - > layer_scale_residual dropout_residual gated_residual",
    "add_residual > COMMON",
    "affine standardize > add_residual > - COMMON",
)
SCORES = _chains(
    "SCALES > MASKS",
    "scale_scores scale_scores_128 - > soft_cap > MASKS",
    "SCALES - > add_position_bias > add_attention_mask fill_masked",
    "SCALES > soft_cap",
    "add_bias > temperature soft_cap",
    "add_attention_mask add_bias layer_scale > fill_masked",
)
PREPARATIONS = _chains(
    "rescale_pixels > standardize affine drop",
    "subtract_mean > layer_scale clamp square",
    "squared_magnitude magnitude > signed_log",
    "signed_log > layer_scale affine standardize",
    "squared_error absolute_error smooth_l1 > token_scale drop",
    "tanh > affine layer_scale multiply",
    "clip_value clamp > momentum ema_update layer_scale token_scale",
    "gru_update interpolate guidance > tanh clamp token_scale drop",
    "prelu swish_beta > AFTER_ACTIVATION",
    "add_bias > prelu swish_beta",
)
UNARIES, BINARIES, TERNARIES = chains(UNARY), chains(BINARY), chains(TERNARY)
SINGLES = (*UNARIES, *BINARIES, *TERNARIES)
BLOCKS = tuple(
    chain
    for chain in (*FEED_FORWARD, *GATED, *RESIDUALS, *SCORES, *PREPARATIONS)
    if chain.has_distinct_names
)
# Chains whose results models sum, average, or search for the largest or smallest.
SUMMANDS = _chains(
    "- absolute square relu gelu silu sigmoid tanh softplus log_sigmoid signed_log gaussian clamp "
    "elu leaky_relu squared_relu mish hard_swish standard_deviation cosine sine hard_shrink "
    "binarize erf add_residual multiply GATES drop ERRORS smooth_l1 lower_bound upper_bound "
    "ema_update magnitude squared_magnitude log_add_exp add_attention_mask gru_update "
    "multiply_add reparameterize clamp_between luma rotate",
    "add_residual > relu gelu silu sigmoid tanh clamp square",
    "multiply > tanh sigmoid clamp absolute",
    "squared_magnitude magnitude > signed_log",
    "relu gelu silu tanh sigmoid softplus clamp leaky_relu elu mish > multiply drop ERRORS",
)
# Operations that are not used for the values that models scan, sort, pool or scatter.
UNORDERED = {"drop", "reparameterize", "gru_update", "luma", "rotate", "sine", "cosine", "erf",
             "standard_deviation", "gaussian", "binarize", "hard_shrink", "clamp_between",
             "lower_bound", "upper_bound"}  # fmt: skip
SERIES = tuple(
    chain
    for chain in SUMMANDS
    if not UNORDERED & {operation.name for operation in chain.operations}
)
# Chains that give the inputs of a loss.
PREDICTIONS = _chains(
    "- sigmoid tanh softplus clamp temperature scale_scores scale_by_2 signed_log relu "
    "add_residual drop multiply ema_update interpolate",
    "add_residual multiply > sigmoid tanh clamp softplus",
)
# Chains that give the inputs of dropout and noise.
ACTIVATIONS_AND_SUMS = _chains("- ACTIVATIONS GATES add_residual multiply", "add_residual > COMMON")
BEFORE_NORM = _chains(
    "- add_residual drop multiply dropout_residual gated_residual layer_scale_residual add_bias "
    "add_bias+add_residual drop+add_residual add_bias+drop+add_residual scale_scores scale_by_2 "
    "GATES COMMON",
    "COMMON > add_residual multiply drop",
    "add_bias > COMMON",
    "add_bias add_residual > clamp drop",
)
BEFORE_SOFTMAX = (
    *_chains("- scale_scores temperature soft_cap MASKS add_bias negate scale_by_2 soft_cap_50"),
    *_chains("absolute_error squared_error"),
    *SCORES,
    *_chains("absolute_error squared_error > negate"),
)
AFTER_NORM = _chains(
    "- relu gelu silu gelu_tanh tanh sigmoid scale_by_2 clamp mish leaky_relu quick_gelu "
    "hard_swish squared_relu softplus elu"
)
EPILOGUES = (
    *_chains(
        "- ACTIVATIONS add_bias add_residual layer_scale affine layer_scale_residual multiply "
        "token_scale scale_scores soft_cap add_attention_mask fill_masked GATES",
        "scale_scores > add_attention_mask soft_cap add_position_bias fill_masked",
        "add_bias > temperature",
    ),
    *FEED_FORWARD,
    *GATED,
    *RESIDUALS,
)

# Further values of axes that the tables refer to by name.
FLAT_BINARIES, FLAT_TERNARIES = only(BINARIES, "full"), only(TERNARIES, "full")
BROADCAST = tuple(chain for chain in BLOCKS if any(o.kind != "full" for o in chain.further))
FLAT = only(BLOCKS, "full")
FUSED = tuple(chain for chain in FLAT if len(chain.operations) == 2)
LONG_FUSED = tuple(chain for chain in FLAT if len(chain.operations) > 2)
MATRIX = (*chains(ACTIVATIONS), *FLAT_BINARIES, *FLAT)
CUBE = tuple(dict.fromkeys((*BINARIES, *SINGLES, *BLOCKS)))
AFTER_PAIRS = _chains("relu softplus tanh sigmoid negate square clamp temperature scale_by_2 "
                      "signed_log gaussian inverse_root")  # fmt: skip
PAIRS = (*chains(OUTER), *chains(OUTER, (chain.operations[0] for chain in AFTER_PAIRS)))
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
EPILOGUE_ACTIVATIONS = _chains("- relu silu gelu gelu_tanh squared_relu")
AFTER_SPLIT = (BARE, *chains(ACTIVATIONS))
AFTER_DISTANCE = _chains("- log1p tanh negate clamp scale_scores temperature scale_by_2")
EMBEDDED = (BARE, *only((*SINGLES, *RESIDUALS, *GATED, *FEED_FORWARD), "full"))
MOVED = (BARE, *UNARIES)
SHORT_SERIES = tuple(chain for chain in SERIES if not chain.further)
SEARCHED = _chains("- EXACT", "EXACT > add_attention_mask add_position_bias")
# Models of state spaces apply SiLU, so SiLU gets a quarter of the choices.
AFTER_CONVOLUTION = (*FLAT_EPILOGUES, *_chains("silu") * 60)
GATING = tuple(one for one in ACTIVATIONS if one.name not in ("log_sigmoid", "selu", "celu"))
AFTER_GATE = _chains("- clamp scale_by_2 scale_scores")
# Queries may be scaled by 1 / sqrt(head_dim) in the same kernel.
SCALED = _chains("- scale_scores scale_scores_128")
QUANTIZED = _chains("- ROUNDED_ONCE", "add_residual > relu relu6 clamp clip_value")
