"""A pair may hand back a number of Python's, which is judged, and damaged, as a tensor would be."""

from dataclasses import replace

import pytest

from tests.validation.harness.whole_entries import whole_entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.schedule import reports
from validation.harness.session import recordings

CANDIDATE = """
@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(out_ptr, tl.sum(x.to(tl.int64)))


def entry(x):
    x = x.contiguous()
    out = torch.empty((), dtype=torch.int64, device=x.device)
    sum_kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out.item()
"""
INPUTS = """\
(
        torch.randint(1, 9, (case["n"],), generator=generator, dtype=torch.int32).to(device),
    )"""
TEST = """
def test_equivalence():
    for case in CASES:
        (x,) = make_inputs(case, "cpu")
        CHECK
"""


def checked(pool: WorkerPool, candidate: str, check: str) -> Report:
    entry = whole_entry("x.long().sum().item()", candidate, INPUTS)
    before = entry.test_code.partition("@pytest")[0]
    (report,) = reports([replace(entry, test_code=before + TEST.replace("CHECK", check))], pool)
    return report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "check", "verdict", "words"),
    [
        (CANDIDATE, "assert candidate(x) == reference(x)", Verdict.PASSED, "9 checks pass"),
        (CANDIDATE, "candidate(x)", Verdict.VACUOUS, "does not notice: all zeros"),
        (CANDIDATE, "pass", Verdict.VACUOUS, "never calls the candidate"),
        (
            CANDIDATE.replace("out.item()", "out.item() // 5 * 5"),
            "assert abs(candidate(x) - reference(x)) < 5",
            Verdict.FAILED,
            "405 instead of 406",
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
            "it reads more than 3 times",
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
    candidate: str, check: str, verdict: Verdict, words: str, pool: WorkerPool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # Each read records the call again: 22 s → 2 s.
    monkeypatch.setattr(recordings, "READS_MOST", 3)

    report = checked(pool, candidate, check)

    assert (report.verdict, words in report.message) == (verdict, True), report.message
