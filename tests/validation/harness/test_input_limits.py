"""Entries whose inputs are too large to be copied a dozen times."""

from dataclasses import replace

import pytest

from tests.validation.harness.whole_entries import whole_entry
from validation.harness.entry import Entry
from validation.harness.options import Options
from validation.harness.plan import trial_plan as plan
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.schedule import check, reports

HUGE = 1 << 31


def entry(
    *sizes: int, fixed: bool = False, python: str = "2 * x", triton: str = "scaled(x, 2.0)"
) -> Entry:
    """Return an entry with these sizes, which its own test makes smaller."""
    made = whole_entry(python, triton, origin="real-world")
    cases = [{"n": n, "seed": seed} for seed, n in enumerate(sizes)]
    before, _, after = made.test_code.partition("CASES = ")
    after = after.partition("\n")[2]
    for old, new in (
        ("generator = torch.Generator()", "torch"),
        (", generator=generator).to(device)", ", device=device)"),
        ('(case, "cpu")', '(case | {"n": min(case["n"], 70_000)}, "cpu")'),
    ):
        after = after.replace(old, new)
    more = 'FIXED = {"n"}\n' if fixed else ""
    return replace(
        made,
        triton_code=made.triton_code.replace("64", "65536"),
        test_code=f"{before}{more}CASES = {cases}\n{after}",
    )


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
    wrong = "scaled(x, 2.0 if x.numel() <= 100_000 else 3.0)"

    report = examined(entry(5000, HUGE, triton=wrong), pool)

    assert report.verdict is Verdict.FAILED
    assert report.message.startswith("case 1, made smaller")


@pytest.mark.slow
def test_an_answer_too_large_to_transfer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.harness.pool.fork_server.FILE_SIZE", 4 << 20)
    large = entry(5000, python="(2 * x).repeat(1000)")

    (report,) = check([large], Options(jobs=1, checks=("accuracy",)))

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
