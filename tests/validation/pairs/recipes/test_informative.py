"""Chains that answer the same whatever comes in are left out before any pair is made of them."""

from __future__ import annotations

import pytest

from validation.pairs.recipes.chains import Chain, answers_of, has_own_extreme
from validation.pairs.recipes.conditions import (
    exceeds_zero,
    shows_extreme,
    shows_integers,
    shows_its_values,
    shows_order,
    stays_in_range,
    suits_distance,
    tells,
)
from validation.pairs.recipes.integers import INTEGERS
from validation.pairs.recipes.operations import BINARY, TERNARY
from validation.pairs.recipes.reduction_table import NORMS, REDUCTIONS
from validation.pairs.recipes.unary import UNARY

NAMED = {operation.name: operation for operation in (*UNARY, *BINARY, *TERNARY)}


def chain(*names: str) -> Chain:
    return Chain(tuple(NAMED[name] for name in names))


@pytest.mark.parametrize("operation", NAMED.values(), ids=lambda operation: operation.name)
def test_every_operation_alone_has_an_answer_that_depends_on_its_inputs(operation: object) -> None:
    one = chain(operation.name)  # type: ignore[attr-defined]

    assert answers_of(one) is not None
    assert one.possible


@pytest.mark.parametrize(
    "names",
    [
        ("log_sigmoid", "relu"),
        ("log_sigmoid", "signed_log", "relu"),
        ("log_sigmoid", "leaky_relu"),
        ("standard_deviation", "binarize"),
    ],
)
def test_chains_with_constant_or_saturated_answers_are_rejected(
    names: tuple[str, ...],
) -> None:
    assert not chain(*names).possible


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("shift_left", "parity"), False),
        (("and_mask", "shift_left", "parity"), False),
        (("parity", "shift_left"), True),
        (("shift_right", "parity"), True),
    ],
)
def test_integer_chains_are_tried_with_integers(names: tuple[str, ...], told: bool) -> None:
    known = {operation.name: operation for operation in INTEGERS}
    one = Chain(tuple(known[name] for name in names))

    assert shows_integers(one) is told


@pytest.mark.parametrize("names", [("log_sigmoid", "elu"), ("add_bias", "relu"), ("tanh", "relu")])
def test_chains_whose_answers_depend_on_their_inputs_are_kept(names: tuple[str, ...]) -> None:
    assert chain(*names).possible


@pytest.mark.parametrize(
    ("norm", "after", "told"),
    [
        ("log_softmax", "relu", False),
        ("log_softmax", "squared_relu", False),
        ("log_softmax", "hard_tanh", False),
        ("log_softmax", "tanh", True),
        ("softmax", "soft_shrink", False),
        ("softmax", "sigmoid", True),
        ("softmax", "square", False),
        ("softmax", "inverse_root", False),
        ("log_softmax", "softplus", False),
        ("l2_normalize", "hard_shrink", False),
        ("layer_norm", "relu", True),
    ],
)
def test_after_a_normalization_only_informative_operations_are_kept(
    norm: str, after: str, told: bool
) -> None:
    (found,) = [one for one in NORMS if one.name == norm]

    assert tells(Chain(()), found, chain(after)) is told


@pytest.mark.parametrize(
    ("names", "reduction", "shown"),
    [
        (("relu",), "min", False),
        (("relu",), "max", True),
        (("relu", "inverse_root"), "max_abs", False),
        (("binarize", "signed_log"), "min", False),
        (("tanh",), "max", True),
        ((), "min", True),
        (("gelu_tanh", "leaky_relu"), "min", False),
        (("hard_sigmoid", "gelu_tanh"), "min", False),
        (("relu",), "sum", True),
        (("binarize", "scale_by_2"), "max", False),
        (("binarize", "scale_by_2"), "sum", True),
    ],
)
def test_a_reduction_of_often_equal_values_is_not_informative(
    names: tuple[str, ...], reduction: str, shown: bool
) -> None:
    (found,) = [one for one in REDUCTIONS if one.name == reduction]

    assert shows_its_values(chain(*names), found) is shown


@pytest.mark.parametrize(
    ("names", "known"),
    [((), True), (("relu",), True), (("log_sigmoid", "soft_shrink"), False), (("cosine",), False)],
)
def test_top_k_needs_distinct_largest_values(names: tuple[str, ...], known: bool) -> None:
    assert shows_order(chain(*names)) is known


@pytest.mark.parametrize(("names", "known"), [(("celu", "log_sigmoid"), False), (("relu",), True)])
def test_a_maximum_with_zero_needs_positive_values(names: tuple[str, ...], known: bool) -> None:
    assert exceeds_zero(chain(*names)) is known


@pytest.mark.parametrize("largest", [False, True])
def test_a_window_extreme_needs_distinct_values(largest: bool) -> None:
    assert shows_extreme(chain("leaky_relu", "soft_shrink"), largest) is largest


@pytest.mark.parametrize(
    ("names", "largest", "has"),
    [
        ((), True, True),
        (("tanh",), True, False),
        (("square", "tanh"), False, False),
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
    assert has_own_extreme(chain(*names), largest=largest) is has


@pytest.mark.parametrize(("after", "known"), [("tanh", False), ("scale_by_2", True)])
def test_a_decreasing_distance_function_is_not_shrunk_further(after: str, known: bool) -> None:
    assert suits_distance("multiquadric", chain(after)) is known


@pytest.mark.parametrize(
    ("names", "norm", "fits"),
    [
        (("square", "squared_magnitude", "squared_relu"), "layer_norm", False),
        (("square", "squared_magnitude", "squared_relu"), "rms_norm", False),
        (("multiply",), "l1_normalize", True),
        (("square",), "layer_norm", True),
        (("multiply",), "l2_normalize", True),
        (("gaussian",), "layer_norm", True),
    ],
)
def test_no_row_whose_scaled_squares_overflow_is_normalized(
    names: tuple[str, ...], norm: str, fits: bool
) -> None:
    known = {norm.name: norm for norm in NORMS}

    assert stays_in_range(chain(*names), known[norm]) is fits
