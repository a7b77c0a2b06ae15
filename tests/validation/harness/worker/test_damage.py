"""A test that checks too little is noticed, in any type and at each output alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.validation.conftest import Filled
from validation.harness.judge.numbers import DIRECT, EIGHT_BIT, EPSILON
from validation.harness.worker.damage import Survey
from validation.harness.worker.damages import DAMAGES

TYPES = [*DIRECT, "bfloat16", *EIGHT_BIT]
NOT_IN_BETWEEN = {"small relative error"}
CANDIDATE = """
import torch


def answer(*given):
    return _called(reference, given, {})


def reference(x, weight=1):
    return ANSWER
"""
LOOKS = """
import torch
from triton_code import answer


def close(actual, expected, rtol=1e-5):
    assert torch.allclose(actual, expected, rtol=rtol, atol=1e-5)


def test_equivalence():
    x = torch.arange(1.0, 65.0)
    given = answer(x)
    {looks}
"""
BOTH = "close(given[0], x * 2); close(given[1], x + 1)"


def verdicts(filled: Filled, answer: str, looks: str) -> dict[str, list[str]]:
    filled("triton_code", CANDIDATE.replace("ANSWER", answer))
    return surveyed(filled, LOOKS.replace("{looks}", looks))


def surveyed(filled: Filled, test: str, gradients: bool = False) -> dict[str, list[str]]:
    survey = Survey(gradients=gradients)
    asked: Any = SimpleNamespace(
        obj=filled("test_code", test).test_equivalence,
        funcargs={},
        _fixtureinfo=SimpleNamespace(argnames=()),
    )
    survey.pytest_pyfunc_call(asked)
    assert survey.control is None
    return survey.verdicts()


@pytest.mark.parametrize(
    ("answer", "looks", "places"),
    [
        ("(x * 2, x + 1)", BOTH, []),
        ("(x * 2, x + 1)", "close(given[0], x * 2); given[1].dtype.itemsize", [2]),
        ("(x * 2, x + 1)", "close(given[1], x + 1)", [1]),
        ("[(x * 2,), {'more': x + 1}]", "close(given[0][0], x * 2)", [2]),
        ("(x * 2, 64)", "close(given[0], x * 2)", [2]),
        ("(x * 2, 64)", "close(given[0], x * 2); assert given[1] == 64", []),
        ("(x * 2, None, 'even', 64)", "close(given[0], x * 2); assert given[1] is None", [2]),
        ("(x * 2, x * 0)", "close(given[0], x * 2)", []),
        ("x * 2", "close(given, x * 2)", []),
        ("[x + n for n in range(40)]", "[close(part, x + n) for n, part in enumerate(given)]", []),
        ("[x + n for n in range(40)]", "[close(given[n], x + n) for n in range(15)]", [16]),
    ],
    ids=[
        "both are looked at",
        "of the second only the type",
        "the second only",
        "one in a dictionary of a list",
        "a number that the test does not look at",
        "a number that the test looks at",
        "what is no number is not counted",
        "one that is zeros anyway",
        "a single one",
        "forty, all looked at",
        "forty, of which fifteen are looked at",
    ],
)
def test_an_output_that_the_test_does_not_check_is_named(
    answer: str, looks: str, places: list[int], filled: Filled
) -> None:
    seen = verdicts(filled, answer, looks)

    assert seen["unnoticed"] == [f"all zeros in output {n} alone" for n in places]


def possible(dtype: str) -> set[str]:
    """Return the damage that a type can show: integers have no small error, some types no sign, and
    the input has another type."""
    whole = "int" in dtype or dtype == "bool"
    without = {"the input handed back"} | (NOT_IN_BETWEEN if whole else set())
    without |= {"sign flipped"} if dtype == "bool" or dtype.startswith("uint") else set()
    return set(DAMAGES) - without


FIRST_LOST = ["first block dropped", "first element wrong"]


@pytest.mark.parametrize(
    ("compared", "unnoticed"),
    [
        ("given[-1:], (x * 2)[-1:]", [*FIRST_LOST, "one element wrong"]),
        ("given[48:], (x * 2)[48:]", [*FIRST_LOST, "one element wrong"]),
        (
            "given.flip(0)[::10], (x * 2).flip(0)[::10]",
            ["first element wrong", "one element wrong"],
        ),
        ("given.abs(), (x * 2).abs()", ["sign flipped"]),
        (
            "given.sort().values, (x * 2).sort().values",
            ["moved by one element", "two rows swapped"],
        ),
        ("given, x * 2", []),
    ],
    ids=["the last element", "the last quarter", "every tenth", "sizes", "any order", "all"],
)
def test_damage_outside_of_the_compared_part_is_named(
    compared: str, unnoticed: list[str], filled: Filled
) -> None:
    seen = verdicts(filled, "x * 2", f"close({compared})")

    assert set(unnoticed) == set(seen["unnoticed"])


@pytest.mark.parametrize(
    ("answer", "without"),
    [
        ("(x * 0 + 3).reshape(8, 8)", {"two rows swapped", "moved by one element"}),
        ("1 + 1e-4 * x.reshape(8, 8) / 64", {"two rows swapped", "moved by one element"}),
        ("x.reshape(1, 64)", {"two rows swapped"}),
        ("x > 30", {"sign flipped"}),
        ("x.sum()", {"two rows swapped", "moved by one element"}),
    ],
    ids=["rows of one number", "rows alike but for rounding", "one row", "booleans", "a number"],
)
def test_damage_that_leaves_an_honest_answer_right_is_not_counted(
    answer: str, without: set[str], filled: Filled
) -> None:
    looks = (
        f"assert torch.allclose(given, {answer}, rtol=1e-3); assert given.dtype == ({answer}).dtype"
    )
    seen = verdicts(filled, answer, looks)

    assert without <= set(seen["without_effect"])
    assert seen["unnoticed"] == []


@pytest.mark.parametrize("dtype", TYPES)
def test_a_test_without_a_check_detects_no_damage_in_any_dtype(dtype: str, filled: Filled) -> None:
    seen = verdicts(filled, f"(x % 3 * 2).to(torch.{dtype})", "given.shape")

    assert set(seen["unnoticed"]) >= possible(dtype)
    assert seen["noticed"] == []


def test_damage_without_effect_is_not_counted_as_detected(filled: Filled) -> None:
    seen = verdicts(filled, "x.to(torch.float8_e8m0fnu)", "given.shape")

    assert seen["noticed"] == []
    assert "small relative error" in seen["without_effect"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "answer", ["x % 3 * 2", "x % 7 * 51 % 256"], ids=["small", "to the largest"]
)
def test_a_test_with_rounding_tolerance_detects_damage_in_any_dtype(
    answer: str, dtype: str, filled: Filled
) -> None:
    answer = f"({answer}).to(torch.{dtype})"
    wide = "torch.complex128" if "complex" in dtype else "torch.float64"
    rounding = 2 * EPSILON.get(dtype, 0.0)
    looks = (
        f"expected = {answer}; assert given.dtype == expected.dtype;"
        f" close(given.to({wide}), expected.to({wide}), {rounding})"
    )

    seen = verdicts(filled, answer, looks)

    assert seen["unnoticed"] == []
    assert set(seen["noticed"]) >= possible(dtype)


BACK = """
import torch
from triton_code import answer, reference


def back(function, asked):
    x = torch.linspace(1, 2, 64, requires_grad=asked[0])
    weight = torch.linspace(3, 5, 64, requires_grad=asked[1])
    out = function(x, weight)
    if any(asked):
        out.sum().backward()
    return out, x.grad, weight.grad


def test_equivalence():
    for asked in ASKED:
        actual, expected = back(answer, asked), back(reference, asked)
        for place in LOOKS:
            assert torch.allclose(actual[place], expected[place])
"""
NONE = "all zeros in the gradients"
OFF = "small relative error in the gradients"
FIRST = "all zeros in the gradient of tensor 1 alone"
SECOND = "all zeros in the gradient of tensor 2 alone"


@pytest.mark.parametrize(
    ("asked", "looks", "declared", "unnoticed"),
    [
        ("[(True, True)]", "(0, 1, 2)", True, []),
        ("[(True, True)]", "(0, 1)", True, [SECOND]),
        ("[(True, True)]", "(0,)", True, [NONE, OFF, FIRST, SECOND]),
        ("[(False, False)]", "(0,)", True, [NONE]),
        ("[(False, False)]", "(0,)", False, []),
        ("[(True, True)]", "(0,)", False, []),
        ("[(False, True)]", "(0, 2)", True, []),
    ],
    ids=[
        "both are looked at",
        "one of two",
        "asked for, and not looked at",
        "not asked for",
        "none declared, none asked for",
        "none declared",
        "of the weight only",
    ],
)
def test_a_gradient_that_the_test_does_not_check_is_named(
    asked: str, looks: str, declared: bool, unnoticed: list[str], filled: Filled
) -> None:
    filled("triton_code", CANDIDATE.replace("ANSWER", "x * x * weight"))
    seen = surveyed(filled, BACK.replace("ASKED", asked).replace("LOOKS", looks), declared)

    assert seen["unnoticed"] == unnoticed
