"""A module's parts: what is a group, how it is written, which sizes vary."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody writes it
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from validation.pairs.inductor.whole.graph import graph_of
from validation.pairs.inductor.whole.parts import parts

pytestmark = pytest.mark.slow


class Written(nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def told(function: Any, *shapes: tuple[int, ...], dtype: torch.dtype = torch.float32) -> Any:
    with FakeTensorMode(allow_non_fake_inputs=True):
        inputs = tuple(torch.zeros(shape, dtype=dtype) for shape in shapes)
        return parts(graph_of(Written(function), inputs))


def lines(function: Any, *shapes: tuple[int, ...]) -> list[list[str]]:
    return [list(part["lines"]) for part in told(function, *shapes)["made"]]


def test_products_are_separate_parts_and_connected_operations_one_part() -> None:
    def layer(x: torch.Tensor, w: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.relu((x * 2 + 1) @ w).sigmoid() @ v

    assert lines(layer, (3, 5), (5, 7), (7, 2)) == [
        ["mul = x * 2", "return mul + 1"],
        ["return torch.matmul(x, y)"],
        ["relu = torch.relu(x)", "return torch.sigmoid(relu)"],
    ]


def test_repeated_layers_give_each_part_once() -> None:
    def layers(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for _ in range(4):
            x = torch.tanh(x @ w)
        return x

    found = told(layers, (3, 5), (5, 5))

    assert found["groups"] == 8
    assert [part["lines"] for part in found["made"]] == [
        ("return torch.matmul(x, y)",),
        ("return torch.tanh(x)",),
    ]


def test_views_at_the_edge_of_a_part_are_dropped() -> None:
    def heads(x: torch.Tensor) -> torch.Tensor:
        return torch.exp(x.view(3, 2, 4).transpose(0, 1)).reshape(2, 12)

    [part] = told(heads, (3, 8))["made"]

    assert part["lines"] == ("return torch.exp(x)",)
    assert part["arguments"] == ("x [m, n, k] normal",)


def test_a_slice_of_an_input_is_taken_inside_the_part() -> None:
    def rotated(x: torch.Tensor, cos: torch.Tensor) -> torch.Tensor:
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1)

    [part] = told(rotated, (3, 8), (3, 8))["made"]

    assert part["arguments"] == ("x [m, n] normal", "y [m, n] normal")
    assert "slice_1 = x[..., x.shape[-1] // 2:]" in part["lines"]


def test_sizes_that_must_match_share_a_name_and_constrained_sizes_stay_fixed() -> None:
    [added] = told(lambda x, y: torch.sin(x) + y, (3, 8), (8,))["made"]
    [cut] = told(lambda x: torch.exp(x).view(3, 2, 4).sum(-1), (3, 8))["made"]

    assert added["arguments"] == ("x [m, n] normal", "y [n] normal")
    assert cut["arguments"] == ("x [m, 8] normal",)


def test_an_in_place_operation_is_written_as_a_new_value() -> None:
    def changing(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y.add_(1)
        return y.exp()

    [part] = lines(changing, (3, 4))

    assert part == ["mul = x * 2", "add = mul + 1", "return torch.exp(add)"]


def test_an_in_place_module_on_a_half_of_a_tensor_gives_a_plain_function() -> None:
    class Gate(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.act = nn.ReLU(inplace=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            one, other = x.chunk(2, dim=-1)
            result: torch.Tensor = self.act(one) * other
            return result

    with FakeTensorMode():
        [part] = parts(graph_of(Gate(), (torch.zeros(3, 8),)))["made"]

    assert part["lines"] == ("relu = torch.relu(x)", "return relu * y")


def test_a_batch_norm_stays_one_operation_and_an_empty_pad_is_dropped() -> None:
    def layer(x: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
        return F.pad(F.batch_norm(x, mean, variance), (0, 0, 0, 0)) * 2

    [part] = told(layer, (3, 4), (4,), (4,))["made"]

    assert part["lines"] == (
        "batch_norm = F.batch_norm(x, y, z, eps=1e-05)",
        "return batch_norm * 2",
    )
    assert part["arguments"][2] == "z [n] positive"


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (lambda x: F.layer_norm(x, (4,)), "return F.layer_norm(x, (x.shape[-1],))"),
        (lambda x: F.gelu(x, approximate="tanh"), 'return F.gelu(x, approximate="tanh")'),
        (lambda x: x.mean(-1, keepdim=True), "return torch.mean(x, (-1,), keepdim=True)"),
        (lambda x: 1 - x, "return 1 - x"),
        (lambda x: torch.add(x, x, alpha=2), "return torch.add(x, x, alpha=2)"),
        (lambda x: x.softmax(-1), "return torch.softmax(x, -1)"),
        (lambda x: x.clamp(min=0.5), "return torch.clamp(x, min=0.5)"),
        (lambda x: F.leaky_relu(x, 0.2), "return F.leaky_relu(x, negative_slope=0.2)"),
    ],
)
def test_operations_are_written_by_their_public_names(function: Any, line: str) -> None:
    assert lines(function, (3, 4)) == [[line]]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x + torch.rand_like(x), "it draws numbers at random"),
        (lambda x: x > 0, "its answer is not of float32"),
        (lambda x: (x * 2).double(), "its answer is not of float32"),
        (lambda x: torch.ones(3, 4) * 2, "it takes no tensor"),
    ],
)
def test_a_part_that_gives_no_function_is_skipped_with_a_reason(function: Any, reason: str) -> None:
    assert told(function, (3, 4))["reasons"] == {reason: 1}


def test_an_index_input_is_drawn_below_the_size_it_indexes() -> None:
    with FakeTensorMode():
        inputs = (torch.zeros(9, 4), torch.zeros(2, 3, dtype=torch.int64))
        found = parts(graph_of(Written(lambda w, i: F.embedding(i, w) * 2), inputs))

    [part] = found["made"]

    assert "index [k, p] index _ m" in part["arguments"]
