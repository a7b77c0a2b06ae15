"""Combinations whose results hardly depend on their inputs are excluded before a pair is made."""

from __future__ import annotations

import pytest

from validation.pairs.recipes import conditions
from validation.pairs.recipes.blocks import NAMED, SUMMANDS, chain_of
from validation.pairs.recipes.conditions import has_own_extreme, reduces, shows_extreme
from validation.pairs.recipes.reduction_table import REDUCTIONS


def test_the_lists_name_operations_and_chains_of_the_tables() -> None:
    known = NAMED.keys() | {chain.name for chain in SUMMANDS}
    lists = [value for value in vars(conditions).values() if isinstance(value, set)]

    assert len(lists) >= 8
    assert set.union(*lists) <= known


@pytest.mark.parametrize(
    ("names", "reduction", "shown"),
    [
        (("relu",), "min", False),
        (("relu",), "sum", True),
        (("relu",), "l1_norm", False),
        (("sine",), "max_abs", False),
        (("squared_error",), "min", False),
        (("squared_error",), "max", True),
        (("absolute",), "l2_norm", False),
        (("gelu", "drop"), "min", True),
        ((), "min", True),
        ((), "max_abs", True),
    ],
)
def test_a_reduction_of_often_equal_values_is_not_informative(
    names: tuple[str, ...], reduction: str, shown: bool
) -> None:
    (found,) = [one for one in REDUCTIONS if one.name == reduction]

    assert reduces(chain_of(*names), found, ("float32",)) is shown


def test_a_sum_that_may_be_too_large_for_float16_is_excluded() -> None:
    (total,) = [one for one in REDUCTIONS if one.name == "sum"]

    assert not reduces(chain_of("gelu"), total, ("float16", "float32"))


@pytest.mark.parametrize(
    ("names", "largest", "has"),
    [
        ((), True, True),
        (("tanh",), True, False),
        (("hard_swish",), False, False),
        (("hard_swish",), True, True),
        (("square",), False, True),
        (("cosine",), True, False),
        (("sine",), False, False),
        (("gaussian",), True, False),
        (("gaussian",), False, True),
    ],
)
def test_an_extreme_that_nearly_any_long_row_has_is_left_out(
    names: tuple[str, ...], largest: bool, has: bool
) -> None:
    assert has_own_extreme(chain_of(*names), largest=largest) is has


def test_the_smallest_of_many_squares_is_left_out() -> None:
    assert not shows_extreme(chain_of("square"), largest=False)
    assert shows_extreme(chain_of("square"), largest=True)
