"""Comparison of whole answers, and of a sample of their elements."""

import numpy as np

from tests.validation.harness.numbers_of import numbers_of
from validation.harness.judge.answers import Value, compare_answers
from validation.harness.judge.compare import Comparison
from validation.harness.judge.numbers import Array
from validation.harness.judge.practical import PracticalBound

SHAPE = (100, 1000)


def _compared(answer: Array, wanted: Array, most: int | None) -> Comparison:
    def value(content: Array, dtype: str) -> Value:
        return Value((numbers_of(content, dtype),), "tensor", (), ())

    native, precise = value(wanted, "bfloat16"), value(wanted, "float64")
    others = (precise, None, None)
    ((_, comparison),) = compare_answers(
        value(answer, "bfloat16"), native, others, bound=PracticalBound(), inputs=0, most=most
    )
    return comparison


def test_a_sample_of_a_right_answer_is_right() -> None:
    wanted = np.random.default_rng(0).normal(size=SHAPE)

    assert _compared(wanted, wanted, 500).wrong == ""


def test_a_sample_finds_a_wrong_block_and_tells_its_place_in_the_tensor() -> None:
    wanted = np.random.default_rng(0).normal(size=SHAPE)
    answer = wanted.copy()
    answer[97:] += 3.0

    words = _compared(answer, wanted, 1000).wrong

    assert "of 1000 elements are wrong" in words
    row = int(words.split("the worst at [")[1].split(",")[0])
    assert row >= 97


def test_an_answer_with_no_more_elements_is_compared_whole() -> None:
    wanted = np.ones(SHAPE)
    answer = wanted.copy()
    answer[42, 17] = 2.0

    words = _compared(answer, wanted, wanted.size).wrong

    assert "1 of 100000 elements are wrong, the worst at [42, 17]" in words
