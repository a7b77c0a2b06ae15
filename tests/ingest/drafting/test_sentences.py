"""A torch function describes an operation only if it is the whole reference."""

from __future__ import annotations

import ast

import pytest

from tests.ingest.drafting.repositories import DOUBLING, whole

TEST = """
def test_doubled():
    x = torch.randn(64, device=device)
    {reference}
    torch.testing.assert_close(doubled(x), expected)
"""


def described(reference: str) -> str:
    python_code = whole(
        TEST.format(reference=reference.replace("\n", "\n    ")), ops__doubling=DOUBLING
    ).texts.python_code
    return next(
        (
            ast.get_docstring(node) or ""
            for node in ast.parse(python_code).body
            if isinstance(node, ast.FunctionDef)
        ),
        "",
    )


def test_the_only_torch_function_of_a_reference_describes_it() -> None:
    assert described("expected = torch.sigmoid(x)") == "Compute the sigmoid of each element."


@pytest.mark.parametrize(
    "reference",
    [
        "expected = torch.zeros(64)\nexpected[:] = x",
        "expected = torch.zeros_like(x) + x",
        "expected = torch.sigmoid(x) * x",
    ],
)
def test_a_part_of_a_reference_does_not_describe_it(reference: str) -> None:
    assert described(reference) == ""
