"""The operations of a reference, read from its text alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curation.similarity.operations import FunctionOperations, read_operations


def read(body: str, parameters: str = "x, y") -> FunctionOperations:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = f"import torch\nimport torch.nn.functional as F\n\n\ndef f({parameters}):\n{lines}\n"
    return read_operations(text, "f")


SAME = [
    ("return x + y", "total = torch.add(x, y)\nreturn total"),
    ("return x + y", "return y + x"),
    ("return x.sum(-1)", "return torch.sum(x, dim=-1)"),
    ("return x.amax(dim=1, keepdim=False)", "return torch.amax(x, 1)"),
    ("return F.silu(x) * y", "gate = F.silu(x.float())\nreturn (gate * y.float()).to(x.dtype)"),
    ("return x @ y", "return torch.matmul(x, y)"),
    ("return x * x", "return x.square()"),
    ("return x ** 2", "return torch.square(x)"),
    ("return x / 2", "return x / 2.0"),
    ("return torch.clip(x, 0, 1)", "return x.clamp(0, 1)"),
    ('"""Add."""\nassert x.ndim == 1\nreturn x + y', "return x + y"),
    ("a, b = x.exp(), y.exp()\nreturn a - b", "return torch.exp(x) - torch.exp(y)"),
]

DIFFERENT = [
    ("return x + y", "return x - y"),
    ("return x - y", "return y - x"),
    ("return x.amax(-1)", "return x.amin(-1)"),
    ("return x.sum(-1)", "return x.sum(0)"),
    ("return x.sum(-1)", "return x.sum(-1, keepdim=True)"),
    ("return F.silu(x) * y", "return F.gelu(x) * y"),
    ("return x * 2", "return x * 3"),
    ("return F.gelu(x)", "return F.gelu(x, approximate='tanh')"),
    ("return x.to(torch.int32)", "return x"),
    ("y = x.clone()\ny.add_(1)\nreturn x", "y = x\ny.add_(1)\nreturn x.clone()"),
    (
        "a = x.exp()\nx.view(-1).add_(1)\nreturn a + x.exp()",
        "a = x.exp()\nx.view(-1).add_(1)\nreturn a + a",
    ),
    ("return x.softmax(0) @ y", "return x @ y.softmax(0)"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_one_function_give_the_same_operations(one: str, other: str) -> None:
    assert read(one).exact == read(other).exact


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_different_functions_give_different_operations(one: str, other: str) -> None:
    assert read(one).exact != read(other).exact


def test_operations_depend_on_parameter_position_but_not_on_its_name() -> None:
    assert read("return x / y").exact == read("return a / b", "a, b").exact
    assert read("return x / y").exact != read("return x / y", "y, x").exact


def test_operations_depend_on_the_default_of_a_parameter() -> None:
    assert read("return x + eps", "x, eps=1e-5").exact != read("return x + eps", "x, eps=1.0").exact


def test_a_helper_is_inlined_at_its_call() -> None:
    text = "def scale(a, by=2.0):\n    return a * by\n\n\ndef f(x, y):\n    return scale(x) + y\n"

    assert read_operations(text, "f").exact == read("return x * 2.0 + y").exact


def test_an_operation_chain_lists_the_operations_in_order() -> None:
    body = "scores = (x.float() @ y.transpose(-1, -2)) / x.shape[-1]\nreturn scores.softmax(-1)"

    assert read(body).chain == ("matmul", "div", "softmax")


def test_a_function_that_only_moves_data_has_its_moves_as_chain() -> None:
    assert read("return x.transpose(0, 1).reshape(-1)").chain == ("transpose", "reshape")


def test_a_module_is_read_with_its_layers() -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\nclass Model(nn.Module):\n"
        "    def __init__(self, wide):\n        super().__init__()\n"
        "        self.first = nn.Linear(wide, wide)\n"
        "        self.rest = nn.Sequential(nn.ReLU(), nn.LayerNorm(wide))\n"
        "    def forward(self, x):\n"
        "        return torch.softmax(self.rest(self.first(x)), dim=-1)\n"
    )

    assert read_operations(text, "Model").chain == ("linear", "relu", "layer_norm", "softmax")


@pytest.mark.parametrize(
    "text",
    ["def f(x:\n", "def g(x):\n    return x\n", "def f(x):\n    return f(x)\n", "", "\0",
     "def f(x):\n    try:\n        return x\n    finally:\n        pass\n",
     "f = " + "(" * 300, "def f(x):\n    return " + "-" * 5000 + "x\n"],
)  # fmt: skip
def test_a_text_that_can_not_be_analyzed_falls_back_to_its_syntax(text: str) -> None:
    assert read_operations(text, "f") == read_operations(text, "f")
    assert read_operations(text, "f").chain == ()


@given(text=st.text(max_size=80))
def test_operations_can_be_read_from_any_text(text: str) -> None:
    read_operations(f"def f(x):\n    return x{text}", "f")


# --- Random programs ------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """One line: `operation` on values, which are numbers of parameters and of earlier lines."""

    operation: str
    first: int
    second: int
    constant: float


OPERATIONS: dict[str, tuple[str, ...]] = {
    "add": ("{a} + {b}", "torch.add({a}, {b})", "{b} + {a}", "{a}.add({b})"),
    "sub": ("{a} - {b}", "torch.subtract({a}, {b})"),
    "mul": ("{a} * {b}", "torch.mul({b}, {a})"),
    "scale": ("{a} * {c}", "{c} * {a}"),
    "maximum": ("torch.maximum({a}, {b})", "torch.maximum({b}, {a})"),
    "minimum": ("torch.minimum({a}, {b})",),
    "total": ("{a}.sum(-1, keepdim=True)", "torch.sum({a}, dim=-1, keepdim=True)"),
    "most": ("{a}.amax(dim=0, keepdim=True)", "torch.amax({a}, 0, True)"),
    "softmax": ("{a}.softmax(-1)", "F.softmax({a}, dim=-1)"),
    "tanh": ("torch.tanh({a})", "{a}.float().tanh()"),
    "where": ("torch.where({a} > {c}, {a}, {b})", "torch.where(torch.gt({a}, {c}), {a}, {b})"),
    "in_place": ("{a}.mul_({c})",),
    "copy": ("{a}.clone()",),
}
PARAMETERS = 2
VALUES = st.integers(0, 3)
STEP = st.builds(Step, st.sampled_from([*OPERATIONS]), VALUES, VALUES, st.sampled_from([0.5, 1.5]))
STEPS = st.lists(STEP, min_size=1, max_size=6)


def spelled(steps: list[Step], choose: Callable[[int], int], prefix: str) -> str:
    names = [f"{prefix}{number}" for number in range(PARAMETERS)]
    lines = []
    for step in steps:
        a, b = (names[-1 - place % len(names)] for place in (step.first, step.second))
        spellings = OPERATIONS[step.operation]
        line = spellings[choose(len(spellings))].format(a=a, b=b, c=step.constant)
        names.append(f"{prefix}{len(names)}")
        lines.append(f"    {names[-1]} = {line}")
    lines.append(f"    return {names[-1]}")
    parameters = ", ".join(names[:PARAMETERS])
    head = "import torch\nimport torch.nn.functional as F\n\n\n"
    return f"{head}def f({parameters}):\n" + "\n".join(lines) + "\n"


def run(text: str) -> list[torch.Tensor]:
    """The result and the inputs afterwards."""
    names: dict[str, Callable[..., torch.Tensor]] = {}
    exec(text, names)  # noqa: S102 - our own text
    torch.manual_seed(0)
    inputs = [torch.randn(3, 4) for _ in range(PARAMETERS)]
    return [names["f"](*inputs), *inputs]


def test_a_layer_can_be_defined_by_keyword() -> None:
    text = """
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict(dict(first=nn.Linear(4, 4), last=nn.Linear(4, 4)))

    def forward(self, x):
        return self.parts.last(self.parts.first(x))
"""

    assert read_operations(text, "Model").exact


@settings(max_examples=300, deadline=None)
@given(steps=STEPS, data=st.data())
def test_variable_names_and_spellings_do_not_change_the_operations(
    steps: list[Step], data: st.DataObject
) -> None:
    first = spelled(steps, lambda count: 0, "x")
    other = spelled(steps, lambda count: data.draw(st.integers(0, count - 1)), "value_")

    assert read_operations(first, "f").exact == read_operations(other, "f").exact


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(steps=STEPS, changed=st.integers(0, 5), step=STEP, whole=st.booleans())
def test_functions_with_different_results_never_have_the_same_operations(
    steps: list[Step], changed: int, step: Step, whole: bool
) -> None:
    """One step of a random program is changed: often the result too, sometimes not."""
    place = changed % len(steps)
    here = step if whole else replace(steps[place], first=step.first, constant=step.constant)
    one = spelled(steps, lambda count: 0, "x")
    other = spelled([*steps[:place], here, *steps[place + 1 :]], lambda count: 0, "x")
    results = zip(run(one), run(other), strict=True)
    assume(any(a.shape != b.shape or not torch.allclose(a, b) for a, b in results))

    assert read_operations(one, "f").exact != read_operations(other, "f").exact
