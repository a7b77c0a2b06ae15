"""What a launcher handed out stays what it was, whatever it hands out next."""

import pytest

from tests.validation.harness.doubling import DOUBLE_KERNEL
from validation.harness.entry import Entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Verdict
from validation.harness.schedule import reports

REFERENCE = """
import torch


def numbered(x):
    return 2 * x, torch.arange(x.numel(), device=x.device)
"""
LAUNCHER = """
import functools


@functools.cache
def table(n, device):
    return torch.arange(n, device=device)


@functools.cache
def buffer(n, device):
    return torch.empty(n, device=device)


def numbered(x):
    x = x.contiguous()
    out = OUT
    double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out, table(x.numel(), x.device)
"""
CANDIDATE = DOUBLE_KERNEL + LAUNCHER
TEST = """
import torch
from python_code import numbered as reference
from triton_code import numbered as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [{"n": 1, "seed": 0}, {"n": 37, "seed": 1}, {"n": 130, "seed": 2}]
FIXED = ("n",)


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    return (torch.randn(case["n"], generator=generator).to(device),)


def test_equivalence():
    for case in CASES:
        (x,) = make_inputs(case, DEVICE)
        for found, wanted in zip(candidate(x), reference(x), strict=True):
            torch.testing.assert_close(found, wanted)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("out", "verdict"),
    [
        ("torch.empty_like(x)", Verdict.PASSED),
        ("buffer(x.numel(), x.device)", Verdict.FAILED),
    ],
    ids=["a table that is not written to again", "the same memory, written to again"],
)
def test_a_returned_tensor_must_not_be_written_to_later(
    out: str, verdict: Verdict, pool: WorkerPool
) -> None:
    code = CANDIDATE.replace("OUT", out)
    entry = Entry(
        id="numbered", python_code=REFERENCE, triton_code=code, test_code=TEST,
        entry_point="numbered",
    )  # fmt: skip
    (report,) = reports([entry], pool)

    (memory,) = (check for check in report.checks if check.name == "memory")
    assert memory.verdict is verdict, report.message
    assert verdict is Verdict.PASSED or "returned before" in memory.words
