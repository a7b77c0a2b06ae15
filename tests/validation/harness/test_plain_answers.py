"""A pair may hand back a number of Python's, which is judged, and damaged, as a tensor would be."""

import pytest

from validation.harness.entry import Entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.schedule import reports

REFERENCE = """
import torch


def total(x):
    return x.long().sum().item()
"""
CANDIDATE = """
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(out_ptr, tl.sum(x.to(tl.int64)))


def total(x):
    x = x.contiguous()
    out = torch.empty((), dtype=torch.int64, device=x.device)
    sum_kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out.item()
"""
TEST = """
import torch
from python_code import total as reference
from triton_code import total as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [{"n": 1, "seed": 0}, {"n": 37, "seed": 1}, {"n": 130, "seed": 2}]


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    return (torch.randint(1, 9, (case["n"],), generator=generator, dtype=torch.int32).to(device),)


def test_equivalence():
    for case in CASES:
        (x,) = make_inputs(case, DEVICE)
        CHECK
"""


def checked(pool: WorkerPool, candidate: str, check: str) -> Report:
    entry = Entry(
        id="total", python_code=REFERENCE, triton_code=candidate,
        test_code=TEST.replace("CHECK", check), entry_point="total",
    )  # fmt: skip
    (report,) = reports([entry], pool)
    return report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "check", "verdict", "words"),
    [
        (CANDIDATE, "assert candidate(x) == reference(x)", Verdict.PASSED, "9 checks pass"),
        (CANDIDATE, "candidate(x)", Verdict.VACUOUS, "does not notice: all zeros"),
        (CANDIDATE, "pass", Verdict.VACUOUS, "never calls the candidate"),
        (
            CANDIDATE.replace("out.item()", "out.item() // 2 * 2"),
            "assert abs(candidate(x) - reference(x)) < 2",
            Verdict.FAILED,
            "4 instead of 5",
        ),
        (
            CANDIDATE.replace("out.item()", "out.item() + 10**400"),
            "candidate(x)",
            Verdict.CRASHED,
            "where a number is expected",
        ),
        (
            CANDIDATE.replace("out.item()", "sum(int(one) for one in x)"),
            "assert candidate(x) == reference(x)",
            Verdict.ERROR,
            "it reads more than 32 times",
        ),
    ],
    ids=[
        "right",
        "not looked at",
        "not requested",
        "nearly right",
        "beyond any float",
        "beside its kernel",
    ],
)
def test_a_python_number_as_answer_is_compared(
    candidate: str, check: str, verdict: Verdict, words: str, pool: WorkerPool
) -> None:
    report = checked(pool, candidate, check)

    assert (report.verdict, words in report.message) == (verdict, True), report.message
