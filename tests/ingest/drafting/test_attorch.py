"""Layers that are tested side by side with PyTorch's own are read by attorch's adapter."""

from __future__ import annotations

import textwrap

from ingest.drafting import DraftOutcome, Missing
from tests.ingest.drafting.repositories import cases, function, outcomes_of

INIT = "from .layers import RMSNorm, Softmax\n"
KERNELS = """
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, n, weighted: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + offsets, mask=offsets < n, other=float("-inf"))
    if weighted:
        row = row * 2
    row = tl.exp(row - tl.max(row, 0))
    tl.store(y + tl.program_id(0) * n + offsets, row / tl.sum(row, 0), mask=offsets < n)


@triton.jit
def rms_norm_kernel(x, weight, y, n, eps, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + offsets, mask=offsets < n, other=0.0)
    scale = tl.load(weight + offsets, mask=offsets < n)
    row = row / tl.sqrt(tl.sum(row * row, 0) / n + eps) * scale
    tl.store(y + tl.program_id(0) * n + offsets, row, mask=offsets < n)
"""
LAYERS = """
import torch
import triton
from torch import nn

from .kernels import rms_norm_kernel, softmax_kernel


class SoftmaxAutoGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        n = x.shape[-1]
        softmax_kernel[(x.numel() // n,)](x, y, n, False, BLOCK=triton.next_power_of_2(n))
        return y


class Softmax(nn.Softmax):
    def forward(self, x):
        return SoftmaxAutoGrad.apply(x)


class RMSNormAutoGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        y = torch.empty_like(x)
        n = x.shape[-1]
        rms_norm_kernel[(x.numel() // n,)](x, weight, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y


class RMSNorm(nn.RMSNorm):
    def __init__(self, n, eps=1e-5, elementwise_affine=True, device="cuda"):
        super().__init__(n, eps, elementwise_affine, device=device)

    def forward(self, x):
        return RMSNormAutoGrad.apply(x, self.weight, self.eps)
"""
FIXTURES = """
import pytest


@pytest.fixture
def subset(request):
    return request.config.getoption("--subset")
"""
HEAD = """
import pytest
import torch
from torch import autocast, nn
from torch.nn import init

import attorch
from .utils import assert_close, create_input, create_input_like, default_shapes

"""
TEST_SOFTMAX = """
@pytest.mark.parametrize("shape", default_shapes(min_dim=2))
@pytest.mark.parametrize("softmax", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("amp", [False, True])
def test_softmax(shape, softmax, amp, subset):
    if subset and shape not in default_shapes(subset=True):
        return
    attorch_input = create_input(shape)
    pytorch_input = create_input(shape)
    attorch_softmax = getattr(attorch, softmax)(dim=-1)
    pytorch_softmax = getattr(nn, softmax)(dim=-1)
    with autocast("cuda", enabled=amp):
        attorch_output = attorch_softmax(attorch_input)
        pytorch_output = pytorch_softmax(pytorch_input)
    assert_close((attorch_output, pytorch_output), rtol=1e-3, atol=1e-3)
    pytorch_output.backward(create_input_like(pytorch_output))
"""
TEST_NORM = """
@pytest.mark.parametrize("shape", default_shapes(min_dim=2))
@pytest.mark.parametrize("elementwise_affine", [False, True])
def test_rms_norm(shape, elementwise_affine):
    attorch_input = create_input(shape)
    pytorch_input = create_input(shape)
    attorch_norm = attorch.RMSNorm(shape[-1], 1e-5, elementwise_affine)
    pytorch_norm = nn.RMSNorm(shape[-1], 1e-5, elementwise_affine, device="cuda")
    if elementwise_affine:
        torch.manual_seed(0)
        init.normal_(attorch_norm.weight)
        torch.manual_seed(0)
        init.normal_(pytorch_norm.weight)
    assert_close((attorch_norm(attorch_input), pytorch_norm(pytorch_input)))
"""


def drafted(test: str, name: str) -> DraftOutcome:
    files = {
        "attorch/__init__.py": INIT,
        "attorch/kernels.py": KERNELS,
        "attorch/layers.py": LAYERS,
        "tests/__init__.py": "",
        "tests/conftest.py": FIXTURES,
        "tests/test_layers.py": HEAD + textwrap.dedent(test),
    }
    outcomes = outcomes_of(files)
    (outcome,) = [outcome for outcome in outcomes if outcome.operation.name == name]
    return outcome


def texts(outcome: DraftOutcome) -> tuple[str, str, str]:
    assert outcome.draft is not None, outcome.sentence
    written = outcome.draft.texts
    return written.python_code, written.triton_code, written.test_code


def test_a_layer_named_by_a_parameter_is_the_first_of_its_names() -> None:
    python, triton, test = texts(drafted(TEST_SOFTMAX, "SoftmaxAutoGrad"))

    assert "nn.Softmax(dim=-1)" in function(python, "softmax")
    assert "softmax_kernel[" in triton
    assert [case["shape"] for case in cases(test)][:2] == [(4, 2000), (8, 1024)]


def test_two_inputs_of_one_seed_are_one_input() -> None:
    python, _, _ = texts(drafted(TEST_SOFTMAX, "SoftmaxAutoGrad"))

    assert "def softmax(input):" in python


def test_weights_that_are_initialized_with_one_seed_are_an_input() -> None:
    python, _, test = texts(drafted(TEST_NORM, "RMSNormAutoGrad"))

    call = "functional.rms_norm("
    assert call in " ".join(python.split())
    assert "norm_weight = torch.randn(" in test


def test_layers_that_are_constructed_with_one_seed_have_no_draft() -> None:
    seeded = TEST_NORM.replace("    attorch_norm =", "    torch.manual_seed(0)\n    attorch_norm =")

    outcome = drafted(seeded, "RMSNormAutoGrad")

    assert outcome.missing is Missing.NO_COMPARISON
