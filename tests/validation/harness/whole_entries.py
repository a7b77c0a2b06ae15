"""Whole entries of a few lines, which run in a recorder and a replayer of their own."""

from collections.abc import Mapping
from typing import Any

from validation.harness.entry import Entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report
from validation.harness.schedule import reports

KERNELS = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, factor * tl.load(x_ptr + offsets, mask=mask), mask=mask)


def scaled(x, factor, out=None):
    out = torch.empty_like(x) if out is None else out
    grid = (triton.cdiv(x.numel(), 64),)
    scale_kernel[grid](x, out, x.numel(), factor, BLOCK=64)
    return out


"""
TEST = """\
import pytest
import torch
import python_code
from python_code import entry as reference
from triton_code import entry as candidate

CASES = [{"n": 100, "seed": 0}, {"n": 1, "seed": 1}, {"n": 67, "seed": 2}]


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["n"], generator=generator).to(device)
    return INPUTS


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    expected, actual = (answered(function, case) for function in (reference, candidate))
    torch.testing.assert_close(actual, expected)


def answered(function, case):
    inputs = make_inputs(case, "cpu")
    answer = function(**inputs) if isinstance(inputs, dict) else function(*inputs)
    return inputs if answer is None else answer
"""


def whole_entry(python: str, triton: str, inputs: str = "(x,)", **more: Any) -> Entry:
    """Return an entry of functions, or of what a function of the inputs returns.

    inputs: an expression of x, a vector, and of the case.
    """
    names = "x, lengths" if "lengths" in python else "x"
    python, triton = (
        text if "def entry" in text else f"def entry({names}):\n    return {text}\n"
        for text in (python, triton)
    )
    return Entry(
        id=more.pop("id", "entry"), python_code=f"import torch\n\n\n{python}",
        triton_code=KERNELS + triton, test_code=TEST.replace("INPUTS", inputs),
        entry_point="entry", **more,
    )  # fmt: skip


def report(pool: WorkerPool, python: str, triton: str, inputs: str = "(x,)", **more: Any) -> Report:
    (made,) = reports([whole_entry(python, triton, inputs, **more)], pool)
    return made


def grades(made: Report) -> Mapping[str, Any]:
    found: Mapping[str, Any] = made.figures["grades"]
    return found
