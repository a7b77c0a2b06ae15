"""Entries whose inputs are too large to be copied a dozen times."""

import textwrap

import pytest

from validation.harness.entry import Entry
from validation.harness.options import Options
from validation.harness.plan import trial_plan as plan
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.schedule import check, reports

PYTHON = """\
    import torch


    def double(x):
        return x + x
    """
TRITON = """\
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + place, mask=place < n)
        tl.store(out_ptr + place, x + x, mask=place < n)


    def double(x):
        out = torch.empty_like(x)
        kernel[(triton.cdiv(x.numel(), 65536),)](x, out, x.numel(), BLOCK=65536)
        return out
    """
TEST = """\
    from python_code import double as reference
    from triton_code import double as candidate
    import pytest
    import torch

    {fixed}
    CASES = {cases}


    def make_inputs(case, device):
        torch.manual_seed(case["seed"])
        with torch.device(device):
            return (torch.randn(case["n"]),)


    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_equivalence(case):
        case = dict(case, n=min(case["n"], 70_000))
        (x,) = make_inputs(case, "cpu")
        assert candidate(x).dtype == reference(x).dtype
        assert torch.allclose(candidate(x), reference(x), rtol=1e-5, atol=1e-6)
    """
HUGE = 1 << 31


def entry(*sizes: int, fixed: bool = False, python: str = PYTHON, triton: str = TRITON) -> Entry:
    cases = [{"n": n, "dtype": "float32", "seed": seed} for seed, n in enumerate(sizes)]
    test = textwrap.dedent(TEST).format(cases=cases, fixed='FIXED = {"n"}' if fixed else "")
    python, triton = textwrap.dedent(python), textwrap.dedent(triton)
    return Entry("double", python, triton, test, "double", False, "real-world")


def examined(one: Entry, pool: WorkerPool) -> Report:
    (report,) = reports([one], pool)
    return report


def words(report: Report, name: str) -> str:
    return next(check.words for check in report.checks if check.name == name)


@pytest.mark.slow
def test_a_too_large_case_is_compared_at_smaller_sizes_and_reported(
    pool: WorkerPool,
) -> None:
    """Its 8 GiB are never allocated: the meta device knows their size."""
    report = examined(entry(5000, HUGE), pool)

    assert report.verdict is Verdict.PASSED, report.message
    assert "case 1 compared only made smaller" in report.message
    assert "case 1 compared only made smaller" in words(report, "accuracy")
    assert report.seconds["author"] < 10


def test_a_too_large_case_with_fixed_sizes_is_left_to_the_test_of_the_entry(
    pool: WorkerPool,
) -> None:
    report = examined(entry(5000, HUGE, fixed=True), pool)

    assert report.verdict is Verdict.PASSED, report.message
    assert "left to the entry's own test alone" in report.message
    assert "case 1 not compared" in report.message


def test_an_entry_of_which_no_case_fits_is_unsupported(pool: WorkerPool) -> None:
    report = examined(entry(HUGE, HUGE + 5, fixed=True), pool)

    assert report.verdict is Verdict.UNSUPPORTED
    assert "the smallest inputs, of case 0, take 8,192 MiB, and 16 are the most" in report.message


def test_an_entry_with_only_trivial_comparable_cases_is_vacuous(pool: WorkerPool) -> None:
    report = examined(entry(3, HUGE, fixed=True), pool)

    assert report.verdict is Verdict.VACUOUS
    assert "nothing but trivial cases can be compared" in report.message


@pytest.mark.slow
def test_a_fault_at_large_inputs_is_found_at_the_smaller_size(pool: WorkerPool) -> None:
    wrong = TRITON.replace("x + x,", "x + tl.where(n > 100_000, 1.0, x),")

    report = examined(entry(5000, HUGE, triton=wrong), pool)

    assert report.verdict is Verdict.FAILED
    assert report.message.startswith("case 1, made smaller")


@pytest.mark.slow
def test_an_answer_too_large_to_transfer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.harness.pool.fork_server.FILE_SIZE", 4 << 20)
    python = PYTHON.replace("return x + x", "return (x + x).repeat(1000)")

    (report,) = check([entry(5000, python=python)], Options(jobs=1, checks=("accuracy",)))

    assert report.verdict is Verdict.CRASHED
    assert "python_code: its tensors take" in report.message
    assert "and 4 are the most to hand over" in report.message


def test_only_cases_below_the_size_limit_are_varied() -> None:
    shown: list[tuple[plan.Case, int]] = [
        ({"n": 1, "dtype": "a"}, 10),
        ({"n": 2, "dtype": "a"}, 99),
        ({"dtype": "b"}, 99),
    ]

    assert plan.light(shown, 50) == [shown[0][0], shown[2][0]]


def test_sizes_are_halved_down_to_one_except_fixed_sizes() -> None:
    case = {"n": 5, "shape": {"tuple": [2, 9]}, "heads": 8, "seed": 7}

    assert list(plan.smaller(case, ["heads"])) == [
        {"n": 2, "shape": {"tuple": [1, 4]}, "heads": 8, "seed": 7},
        {"n": 1, "shape": {"tuple": [1, 2]}, "heads": 8, "seed": 7},
        {"n": 1, "shape": {"tuple": [1, 1]}, "heads": 8, "seed": 7},
    ]
