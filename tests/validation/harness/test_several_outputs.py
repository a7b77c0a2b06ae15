"""Of several outputs each is damaged alone: a test that looks at one of them only is noticed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.validation.conftest import Filled
from validation.harness.inside.damage import Survey

CANDIDATE = """
import torch


def answer(x):
    return _damaged({answer}, (x,))
"""
LOOKS = """
import torch
from triton_code import answer


def close(actual, expected):
    assert torch.allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_equivalence():
    x = torch.arange(1.0, 65.0)
    given = answer(x)
    {looks}
"""
BOTH = "close(given[0], x * 2); close(given[1], x + 1)"


def unnoticed(filled: Filled, answer: str, looks: str) -> list[str]:
    filled("triton_code", CANDIDATE.replace("{answer}", answer))
    test = filled("test_code", LOOKS.replace("{looks}", looks))
    survey = Survey()
    asked: Any = SimpleNamespace(
        obj=test.test_equivalence, funcargs={}, _fixtureinfo=SimpleNamespace(argnames=())
    )
    survey.pytest_pyfunc_call(asked)
    assert survey.control is None
    return survey.verdicts()["unnoticed"]


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
        "a number that nobody looks at",
        "a number that the test looks at",
        "what is no number is not counted",
        "one that is zeros anyway",
        "a single one",
        "forty, all looked at",
        "forty, of which fifteen are looked at",
    ],
)
def test_an_output_that_no_test_looks_at_is_named(
    answer: str, looks: str, places: list[int], filled: Filled
) -> None:
    assert unnoticed(filled, answer, looks) == [f"all zeros in output {n} alone" for n in places]
