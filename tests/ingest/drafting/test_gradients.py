"""Gradients that a test compares, and their check in a draft's test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.drafting import Missing
from tests.ingest.drafting.repositories import only, whole


def test_a_gradient_that_a_launcher_computes_is_not_compared_with_an_answer() -> None:
    outcome = only(
        """
        def test_doubling():
            x = torch.randn(64, device=device, requires_grad=True)
            upstream = torch.randn(64, device=device)
            expected = x + x
            expected.backward(upstream)
            actual = Doubling.apply(upstream)
            torch.testing.assert_close(actual, x.grad)
        """
    )

    assert outcome.missing is Missing.GRADIENTS_ONLY


MEAN = """
import torch


class Mean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x + x).mean()

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return GRADIENT * torch.ones_like(x) * upstream * 2 / x.numel()


def doubling(x):
    return Mean.apply(x)
"""


@pytest.mark.parametrize(("gradient", "status"), [(1, 0), (0, 1)])
def test_a_missing_gradient_fails_however_small_gradients_are(
    tmp_path: Path, gradient: int, status: int
) -> None:
    draft = whole(
        """
        def test_doubling():
            x = torch.randn(512, 512, device=device, requires_grad=True)
            y = x.detach().clone().requires_grad_()
            expected = x + x
            expected.sum().backward()
            actual = Doubling.apply(y)
            actual.sum().backward()
            torch.testing.assert_close(actual, expected)
            torch.testing.assert_close(y.grad, x.grad)
        """
    )
    reference = "def doubling(x):\n    return (x + x).mean()\n"
    (tmp_path / "python_code.py").write_text(reference)
    candidate = MEAN.replace("GRADIENT", str(gradient))
    (tmp_path / "triton_code.py").write_text(candidate)
    (tmp_path / "test_code.py").write_text(draft.texts.test_code)

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "test_code.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.returncode == status, ran.stdout
