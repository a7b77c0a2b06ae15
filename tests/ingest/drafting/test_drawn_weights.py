"""Inputs have weights that show in the answers."""

from __future__ import annotations

import textwrap

from ingest.drafting.writing.drawn_weights import draw_weights

SIDE = "def op(x, weight, bias):\n    return x * weight + bias\n"
TEST = """\
CASES = [
    {cases}
]


def make_inputs(case, device):
{lines}
    return (x, weight, bias)
"""


def written(lines: str, cases: str = "{'n': 3, 'dtype': 'float32', 'seed': 0},") -> str:
    inner = textwrap.indent(textwrap.dedent(lines).strip("\n"), "    ")
    return TEST.replace("{cases}", cases).replace("{lines}", inner)


def drawn(lines: str, cases: str = "{'n': 3, 'dtype': 'float32', 'seed': 0},") -> str:
    return draw_weights(SIDE, SIDE, written(lines, cases), "op")


def test_groups_are_normalized_with_a_weight_for_each_channel() -> None:
    changed = drawn(
        """
        x = torch.randn(2, 6)
        layer = torch.nn.GroupNorm(num_groups=2, num_channels=6)
        weight = layer.weight
        bias = layer.bias
        """
    )

    assert changed.count("torch.randn(6)") == 2
    assert "GroupNorm" not in changed


def test_a_layer_that_is_called_or_may_have_no_weight_stays() -> None:
    called = """
        layer = nn.LayerNorm(3)
        weight = layer.weight
        bias = layer.bias
        x = layer(torch.randn(2, 3))
        """
    optional = """
        affine = case["affine"]
        layer = nn.LayerNorm(3, elementwise_affine=affine)
        weight = layer.weight
        bias = layer.bias
        x = torch.randn(2, 3)
        """

    assert drawn(called) == written(called)
    cases = "{'affine': False, 'seed': 0},"
    assert drawn(optional, cases) == written(optional, cases)


def test_weights_of_ones_and_biases_of_zeros_are_drawn() -> None:
    changed = drawn(
        """
        x = torch.zeros(3)
        weight = torch.ones(3, dtype=dtype)
        bias = torch.zeros(3, dtype=dtype)
        """
    )

    assert "x = torch.zeros(3)" in changed
    assert "weight = torch.rand(3, dtype=dtype)" in changed
    assert "bias = torch.randn(3, dtype=dtype)" in changed


def test_weights_that_are_whole_numbers_stay() -> None:
    lines = "x = torch.zeros(3)\nweight = torch.ones(3, dtype=torch.int32)\nbias = x + 1"

    assert drawn(lines) == written(lines)
