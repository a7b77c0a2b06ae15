"""A draft is refused if its two sides do not compute one result."""

from __future__ import annotations

import pytest

from ingest.drafting.comparable import why_not_comparable
from ingest.drafting.outcomes import DraftTexts

TEST = """
CASES = [{"n": 3}]


def make_inputs(case, device):
    n = case["n"]
    x = torch.randn(n)
    y = torch.zeros(n)
    m = y[0].item()
    for row in range(n):
        y[row] = x[row] + x[0]
    return (x, y, n, m, row)
"""


def why(python: str, triton: str, above: str = "") -> str:
    heading = "def op(x, y, n, m, row):\n    "
    return why_not_comparable(
        DraftTexts(f"{above}{heading}{python}\n", f"{heading}{triton}\n", TEST), "op"
    )


def test_two_sides_of_one_tensor_are_a_pair() -> None:
    assert why("return torch.exp(x)", "return launch(x, n)") == ""


def test_the_sides_read_a_tensor_in_common() -> None:
    assert why("return y / n", "return launch(x, n)") == "The two sides read no tensor in common."
    assert why("return y[row, :m]", "return launch(x, row, m)") != ""


@pytest.mark.parametrize(
    "python",
    ["return torch.empty(n)[x].to(torch.uint8)", "return (torch.empty_like(x), x)"],
)
def test_memory_without_values_is_no_reference(python: str) -> None:
    assert why(python, "return launch(x)") == (
        "Its reference returns memory that nothing is written to."
    )


def test_memory_that_a_method_fills_is_a_reference() -> None:
    assert why("return torch.empty_like(x).copy_(x)", "return launch(x)") == ""


def test_inputs_that_rebind_a_module_are_refused() -> None:
    side = "def op(x):\n    return x\n"
    test = "import torch\n\n\ndef make_inputs(case, device):\n    {}\n    return (x,)\n"

    def why(line: str) -> str:
        return why_not_comparable(DraftTexts(side, side, test.format(line)), "op")

    assert why("x = torch.ones(3)") == ""
    assert why("x = torch = load()") == (
        "Its inputs give the name of the module torch to a value of their own."
    )


def test_a_property_of_both_answers_is_no_comparison() -> None:
    assert why("return torch.signbit(x)", "return torch.signbit(launch(x))") == (
        "It compares only signbit of the answers."
    )
    assert why("return torch.isnan(x)", "return launch(x)") == ""


@pytest.mark.parametrize("value", ["torch.randn(3)", "nn.Linear(3, 3)"])
def test_a_reference_draws_no_values_of_its_own(value: str) -> None:
    assert why("return layer(x)", "return launch(x)", f"layer = {value}\n").startswith(
        "Its reference draws values of its own"
    )
