"""Conditions on combinations: models must compute them, and their tests must be informative.

A test of a nearly constant result would show nothing. The lists name chains of the tables, or the
last operations of chains.
"""

from __future__ import annotations

from validation.pairs.recipes.blocks import SCORE_ROWS, VECTOR_ROWS
from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.reduction_table import Norm, Reduction

# Monotonic functions. They can be applied once, after the search for the extreme.
RISING = {"relu", "leaky_relu", "elu", "softplus", "sigmoid", "tanh", "log_sigmoid", "signed_log",
          "clamp", "erf"}  # fmt: skip
# Bounded on both sides. Ordinary values reach both bounds.
WAVES = {"sine", "cosine", "binarize", "clamp_dropout"}
PEAKED = {"gaussian", "inverse_root"}
# Functions with a lowest value, which some of thousands of inputs always reach.
DIPPING = {"gelu", "gelu_tanh", "quick_gelu", "silu", "mish", "hard_swish"}
SQUARES = {"square", "squared_relu", "squared_error", "smooth_l1"}
MAGNITUDES = {"absolute", "absolute_error"}
NEAR_ZERO = {"gaussian", "relu_dropout", "sigmoid_dropout"}
# Chains whose results are never negative, so that absolute values change nothing.
POSITIVE = {"relu", "sigmoid", "softplus", "gaussian", "standard_deviation", "binarize",
            "magnitude", "squared_magnitude", "squared_magnitude_signed_log",
            "magnitude_signed_log", "relu_dropout", "sigmoid_dropout",
            "softplus_dropout"}  # fmt: skip
# Chains whose largest absolute result is nearly always their bound.
BOUNDED = {"clamp", "cosine", "sine", "erf", "times_up_tanh", "clamp_dropout"}


def names_of(chain: Chain) -> set[str]:
    """Return the name of the chain and the name of its last operation."""
    return {chain.name, chain.operations[-1].name if chain.operations else ""}


def has_own_extreme(chain: Chain, *, largest: bool) -> bool:
    """Return whether the extreme of the results is more informative than that of the inputs."""
    return not names_of(chain) & (RISING | WAVES | (PEAKED if largest else DIPPING))


def shows_extreme(chain: Chain, *, largest: bool) -> bool:
    """Return whether the extreme depends on few inputs. The least of many squares is near zero."""
    is_near_zero = names_of(chain) & (SQUARES | MAGNITUDES | NEAR_ZERO)
    return has_own_extreme(chain, largest=largest) and (largest or not is_near_zero)


def reduces(chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    """Return whether a reduction of the chain's results is precise enough and informative."""
    names = names_of(chain)
    if reduction.grows and "float16" in dtypes:
        return False
    if reduction.name in ("max", "min"):
        return shows_extreme(chain, largest=reduction.name == "max")
    if reduction.name == "max_abs" and names & BOUNDED:
        return False
    if "abs" in reduction.each and names & (POSITIVE | SQUARES):
        return False
    # If a value is not negative, taking its absolute value changes nothing.
    return not (reduction.is_even and names & MAGNITUDES)


def normalizes(before: Chain, norm: Norm, after: Chain) -> bool:
    """Return whether models apply these chains before and after this normalization."""
    if norm.name == "softmin":
        known = ("", "temperature", "scale_by_2", "squared_error", "absolute_error")
        return before.name in known
    if norm.operation_type == "softmax":
        return not after.operations and before in SCORE_ROWS
    if norm.name in ("layer_norm", "rms_norm"):
        return before in VECTOR_ROWS
    return not after.operations and before in VECTOR_ROWS and len(before.operations) <= 1


def has_registers(tile: tuple[int, int, int], dtypes: tuple[str, ...]) -> bool:
    """Return whether a tile size is suitable for the data types.

    Tensor cores need large tiles. Exact products in float32 keep the complete tile in registers.
    """
    elements = tile[0] * tile[1]
    return elements <= 64 * 64 if "float32" in dtypes else elements >= 64 * 64
