"""What a launcher computes with torch: the forward alone becomes a pair, or nothing does."""

from __future__ import annotations

import pytest

from ingest.drafting import Missing
from ingest.drafting.computing import computes_a_part, computes_backward, computes_forward
from tests.ingest.drafting.repositories import DOUBLING, only, whole

SUMS = DOUBLING.replace(
    "        return doubled(gradient)\n",
    "        return summed_up(gradient)\n\n\n"
    "def summed_up(gradient):\n"
    "    parts = doubled(gradient)\n"
    "    return torch.stack([parts, parts]).sum(dim=0)\n",
)
GRADED = """
def test_doubled():
    x = torch.randn(64, device=device, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    expected, actual = 2 * x, Doubling.apply(y)
    torch.testing.assert_close(actual, expected)
    actual.sum().backward()
    torch.testing.assert_close(y.grad, x.grad)
"""


def test_a_backward_that_sums_with_torch_is_dropped_with_its_helpers() -> None:
    draft = whole(GRADED, ops__doubling=SUMS)

    assert not draft.differentiable
    assert "backward" not in draft.texts.triton_code
    assert "summed_up" not in draft.texts.triton_code
    assert "doubling_kernel" in draft.texts.triton_code
    assert ".grad" not in draft.texts.test_code
    assert any("The forward alone" in note and ".sum(dim=0)" in note for note in draft.notes)


def test_a_backward_that_is_a_kernel_is_kept() -> None:
    draft = whole(GRADED)

    assert draft.differentiable
    assert "def backward" in draft.texts.triton_code
    assert ".grad" in draft.texts.test_code


def test_a_forward_that_computes_with_torch_does_not_become_a_pair() -> None:
    linear = DOUBLING.replace(
        "        return doubled(x)\n", "        return torch.addmm(doubled(x), x, x)\n"
    )

    outcome = only(GRADED, ops__doubling=linear)

    assert outcome.missing is Missing.COMPUTES_IN_TORCH
    assert "torch.addmm(doubled(x), x, x)" in outcome.sentence
    assert outcome.draft is not None and outcome.draft.texts.triton_code


@pytest.mark.parametrize(
    "body",
    [
        "return x @ x",
        "y = F.linear(x, x)\n    return y",
        "return Layer(3)(x) if x.shape[0] else None\n\ndef unused(x):\n    return x @ x",
        "n = len(x)\n    for i in range(n):\n        x = x.cumsum(0)\n    return x",
        "return f(x) if plain else torch.compile(f)(x)\n\ndef f(x):\n    return x.softmax(0)",
        "layer = Layer(3)\n    return layer(x)\n\n"
        "class Layer(nn.Module):\n    def __init__(self, n):\n        self.w = nn.Linear(n, n)\n"
        "    def forward(self, x):\n        return self.w(x)",
        "return x * scale if False else x.shape[0]",
        "if flag:\n        return x\n    return x @ x",
        "if flag:\n        x = x.sum()\n    return x",
        "return triton.cdiv(x.shape[0], 3) * 2 + math.exp(2.0)",
        "return torch.arange(8).float().exp()",
        "names = {}\n    names.add(x)\n    return kernel[(1,)](x)",
    ],
)
def test_only_an_unconditional_torch_computation_counts(body: str) -> None:
    said = computes_forward(f"def launch(x, scale=1, flag=False):\n    {body}\n", "launch")

    certain = ("return x @ x", "y = F", "n = len", "return f(x)", "layer = Layer")
    assert bool(said) is body.startswith(certain)


@pytest.mark.parametrize(
    "line", ["return kernel[(1,)](x).sum(0)", "return x * scale", "return torch.where(x > 0, x, 0)"]
)
def test_a_minor_part_is_noted_and_left_to_torch(line: str) -> None:
    module = f"def launch(x, scale=1):\n    x = x.contiguous()\n    {line}\n"

    assert not computes_forward(module, "launch")
    assert computes_a_part(module, "launch")


def test_a_draft_whose_launcher_sums_up_with_torch_has_a_note() -> None:
    summed = DOUBLING.replace("        return doubled(x)\n", "        return doubled(x).sum(0)\n")

    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, 3, device=device)
            assert torch.allclose(Doubling.apply(x), (x + x).sum(0))
        """,
        ops__doubling=summed,
    )

    assert draft.notes == ("Torch computes a part: `doubled(x).sum(0)` in Doubling.forward.",)


def test_linear_algebra_with_torch_counts_under_any_condition() -> None:
    module = (
        "def launch(x, lengths=None):\n"
        "    if lengths is None:\n        return solved(kernel[(1,)](x), x)\n    return x\n\n"
        "def solved(x, y):\n    return torch.linalg.solve_triangular(x, y, upper=False)\n"
    )

    said = computes_forward(module, "launch")

    assert said == "`torch.linalg.solve_triangular(x, y, upper=False)` in solved"


@pytest.mark.parametrize(
    ("line", "computes"),
    [
        ("return g * scale", True),
        ("if scale != 1.0:\n            g = g * scale\n        return g", True),
        ("x, = ctx.saved_tensors\n        return x.sum(0)", True),
        ("n = g.shape[0] * 2\n        return kernel[(n,)](g)", False),
        ("return g.contiguous().view(-1)", False),
    ],
)
def test_a_possible_torch_computation_in_a_backward_counts(line: str, computes: bool) -> None:
    module = (
        "class Scale(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        f"        {line}\n"
    )

    assert bool(computes_backward(module)) is computes
