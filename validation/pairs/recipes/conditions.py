"""Conditions on combinations: models compute them, and their tests are informative."""

from __future__ import annotations

import functools

import numpy as np

from validation.pairs.recipes.blocks import SCORE_ROWS, VECTOR_ROWS
from validation.pairs.recipes.chains import WAVES, Chain, answers_of, has_own_extreme
from validation.pairs.recipes.informative import (
    ORDINARY,
    answers,
    has_order,
    is_informative,
    stands_out,
)
from validation.pairs.recipes.reduction_table import Norm, Reduction

# Functions of a distance whose results for large distances are only 1 or 0.
SATURATING = ("tanh", "sigmoid", "clamp", "clip_value", "gaussian", "inverse_root")
# Sample results of a kernel function of the distance, for rows with some dozens of columns.
NEARNESS = np.linspace(0.0, 0.2, ORDINARY.size)
# Operations after which both sides still agree on ties.
KEEPS_TIES = ("absolute", "add_residual", "add_attention_mask", "add_position_bias")
# Operations whose result is an absolute value.
MAGNITUDES = ("absolute", "absolute_error")
# Lower bound on summed values: their squares are smaller.
LEAST_OF_A_SUM = 0.02
# A softmax of 64 ordinary values is about 0.01 each. Its cube is below every tolerance, and a
# softplus of its logarithm is lost to rounding. Rows in a test are up to twenty times as long.
LEAST_OF_A_ROW, SPREAD_OF_A_ROW = 0.1, 5e-3


def reduces(chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    """Return whether a reduction of the chain's results is exact enough and informative."""
    if reduction.grows and "float16" in dtypes:
        return False
    if not (chain.possible and shows_its_values(chain, reduction)):
        return False
    if reduction.name in ("max", "min") and not has_own_extreme(
        chain, largest=reduction.name == "max"
    ):
        return False
    last = chain.operations[-1].name if chain.operations else ""
    if (reduction.name == "max_abs" and last in WAVES) or (
        # The absolute value of a non-negative value changes nothing.
        last in MAGNITUDES and reduction.is_even
    ):
        return False
    results = answers_of(chain)
    takes_size = "abs" in reduction.each and bool(chain.operations)
    return not (takes_size and results is not None and bool((results >= 0).all()))


def shows_its_values(chain: Chain, reduction: Reduction) -> bool:
    """Return whether the reduced value depends on the input.

    The minimum of many ReLUs is zero for any input, and so is that of thousands of hard sigmoids.
    So many inputs must not share the extreme. For sums, terms must vary: squares of signs are 1.
    """
    ordinary, far = (
        answers((f"y = {reduction.each.format(y='y')}",), y=answers_of(chain, kind))
        for kind in ("ordinary", "far")
    )
    if reduction.reduce not in ("frow_max", "frow_min"):
        return is_informative(ordinary, LEAST_OF_A_SUM, LEAST_OF_A_SUM / 2)
    largest = reduction.reduce == "frow_max"
    return all(values is None or stands_out(values, largest=largest) for values in (ordinary, far))


def shows_extreme(chain: Chain, largest: bool) -> bool:
    return stands_out(answers_of(chain), largest=largest) and has_own_extreme(
        chain, largest=largest
    )


def shows_order(chain: Chain) -> bool:
    return chain.smooth and has_order(answers_of(chain))


def keeps_ties(chain: Chain) -> bool:
    """Return whether both sides agree on ties. Otherwise the first of two values is arbitrary."""
    return all(operation.name in KEEPS_TIES for operation in chain.operations)


def shows_integers(chain: Chain) -> bool:
    return chain.possible and is_informative(answers_of(chain, "whole"))


def exceeds_zero(chain: Chain) -> bool:
    """Return whether a maximum with zero is informative: a log-sigmoid's is always zero."""
    return is_informative(answers(("y = fmax(y, 0.0)",), y=answers_of(chain)))


def suits_distance(kind: str, chain: Chain) -> bool:
    """Return whether results of the chain remain distinguishable.

    Distant rows give tiny values, whose digits the short forms of tanh and log1p lose.
    """
    if not chain.operations:
        return True
    if kind in ("squared", "euclidean"):
        return chain.smooth and chain.name not in SATURATING
    if not chain.smooth or chain.name in ("tanh", "log1p"):
        return False
    return is_informative(answers(chain.triton(), x=NEARNESS, y=NEARNESS), 0.05, 0.01)


def normalizes(before: Chain, norm: Norm, after: Chain) -> bool:
    """Return whether models apply these operations around this normalization, and it shows."""
    if norm.name == "softmin":
        usual = before.name in ("", "temperature", "scale_by_2", "squared_error", "absolute_error")
    elif norm.operation_type == "softmax":
        usual = not after.operations and before in SCORE_ROWS
    elif norm.name in ("layer_norm", "rms_norm"):
        usual = before in VECTOR_ROWS
    else:
        usual = not after.operations and before in VECTOR_ROWS and len(before.operations) <= 1
    if not usual or not before.possible or not stays_in_range(before, norm):
        return False
    return not after.operations or tells(before, norm, after)


@functools.lru_cache(maxsize=1 << 16)
def tells(before: Chain, norm: Norm, after: Chain) -> bool:
    """Return whether the operation's result after the normalization still depends on the input."""
    row = answers(norm.rows, y=answers_of(before))
    return is_informative(answers(after.triton(), x=row, y=row), LEAST_OF_A_ROW, SPREAD_OF_A_ROW)


@functools.lru_cache(maxsize=1 << 16)
def stays_in_range(before: Chain, norm: Norm) -> bool:
    """Return whether float32 and float64 give the same results for large values.

    They don't for the square of a product's cube, and PyTorch computes some sums in float64.
    """
    row = answers_of(before, "large")
    if row is None or not np.isfinite(np.float32(row)).all():
        return True
    narrow, wide = (answers(norm.rows, y=kind(row)) for kind in (np.float32, np.float64))
    return wide is None or bool(np.allclose(narrow, wide, rtol=0.1, atol=0.01))


def has_registers(tile: tuple[int, int, int], dtypes: tuple[str, ...]) -> bool:
    """Return whether a tile size suits the data types.

    Tensor cores need large tiles. Exact float32 products keep the full tile in registers.
    """
    elements = tile[0] * tile[1]
    return elements <= 64 * 64 if "float32" in dtypes else elements >= 64 * 64
