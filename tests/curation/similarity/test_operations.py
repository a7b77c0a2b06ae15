"""The operations of a reference, read from its text alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.similarity.operations import chain_hash, operation_chain


def chain(body: str) -> tuple[str, ...]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = (
        f"import math\nimport torch\nimport torch.nn.functional as F\n\n\ndef f(x, y):\n{lines}\n"
    )
    return operation_chain(text, "f")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return x + y", "total = torch.add(x, y)\nreturn total"),
        ("return x.sum(-1)", "return torch.sum(x, dim=-1)"),
        ("return F.silu(x) * y", "gate = F.silu(x.float())\nreturn (gate * y).to(torch.float32)"),
        ("return x @ y", "return torch.matmul(x.contiguous(), y)"),
        ("return x * x", "return x.square()"),
        ("return x ** 2", "return torch.square(x)"),
        ("return x.pow(2)", "return x.square()"),
        ("return torch.clip(x, 0, 1)", "return x.clamp(0, 1)"),
        ('"""Add."""\nassert x.ndim == 1\nreturn x + y', "return x + y"),
        ("return x * math.log(2)", "return x * -0.5"),
        ("x.add_(y)", "x += y"),
        ("return x[:4].exp()", "return x.reshape(-1).exp()"),
    ],
)
def test_two_spellings_of_one_function_give_the_same_chain(one: str, other: str) -> None:
    assert chain(one) == chain(other) != ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return x + y", "return x - y"),
        ("return x.amax(-1)", "return x.amin(-1)"),
        ("return F.silu(x) * y", "return F.gelu(x) * y"),
        ("return x.to(torch.int32).exp()", "return x.exp()"),
        ("return x[y].exp()", "return x[0].exp()"),
        ("x[0] = y.exp()\nreturn x", "return y.exp()"),
        ("return (x > y) & (x < y)", "return (x > y) | (x < y)"),
    ],
)
def test_two_different_functions_give_different_chains(one: str, other: str) -> None:
    assert chain(one) != chain(other)


def test_a_chain_lists_the_operations_in_order() -> None:
    body = "scores = (x.float() @ y.transpose(-1, -2)) / x.shape[-1]\nreturn scores.softmax(-1)"

    assert chain(body) == ("matmul", "div", "softmax")


def test_both_branches_and_one_turn_of_a_loop_are_in_the_chain() -> None:
    loop, branch = "for each in x:\n    y = y.exp()\n", "if y.any():\n    return y.sin()\n"
    body = f"{loop}{branch}return [each.cos() for each in y]"

    assert chain(body) == ("exp", "any", "sin", "cos")


def test_a_function_that_only_moves_data_has_its_moves_as_chain() -> None:
    assert chain("return x.transpose(0, 1).reshape(-1)") == ("transpose", "reshape")


def test_a_helper_is_inlined_at_its_call() -> None:
    text = "def scale(a, by=2.0):\n    return a * by\n\n\ndef f(x, y):\n    return scale(x) + y\n"

    assert operation_chain(text, "f") == ("mul", "add")


MODULE = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.act = nn.GELU()
    def forward(self, x):
        return self.act(x) + x

class Model(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.first = nn.Linear(wide, wide)
        self.rest = nn.Sequential(nn.ReLU(), nn.LayerNorm(wide), Block(wide))
        self.scale = nn.Parameter(torch.ones(wide))
    def scaled(self, x):
        return x * self.scale
    def forward(self, x):
        return torch.softmax(self.scaled(self.rest(self.first(x))), dim=-1)

def f(x):
    return Model(4)(x)
"""


@pytest.mark.parametrize("entry_point", ["Model", "f"])
def test_a_module_is_read_with_its_layers_and_methods(entry_point: str) -> None:
    layers = ("linear", "relu", "layer_norm", "gelu", "add", "mul", "softmax")

    assert operation_chain(MODULE, entry_point) == layers


@pytest.mark.parametrize(
    "layers", ["nn.Sequential(*layers)", "layers", "nn.ModuleDict(dict(a=nn.ReLU()))"]
)
def test_layers_that_only_the_constructor_knows_leave_the_chain_unknown(layers: str) -> None:
    text = MODULE.replace("nn.Linear(wide, wide)", layers)
    text = text.replace("self.first(x)", "self.first.a(x)") if "Dict" in layers else text

    assert operation_chain(text, "Model") == ()
    assert chain_hash(()) == ""


@pytest.mark.parametrize(
    "text",
    ["def f(x:\n", "def g(x):\n    return x\n", "def f(x):\n    return f(x)\n", "", "\0",
     "class f:\n    pass\n", "f = " + "(" * 300, "def f(x):\n    return " + "-" * 5000 + "x\n"],
)  # fmt: skip
def test_a_text_that_can_not_be_read_has_no_chain(text: str) -> None:
    assert operation_chain(text, "f") == ()


@given(text=st.text(max_size=80))
def test_a_chain_can_be_read_from_any_text(text: str) -> None:
    assert "" not in operation_chain(f"def f(x):\n    return x{text}", "f")
