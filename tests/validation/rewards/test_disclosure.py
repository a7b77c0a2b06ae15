"""An answer names hidden inputs in a sentence, and shows none of their sizes and values."""

import pytest

from validation.harness.report import Check, Report, Verdict
from validation.rewards.disclosure import public_checks, public_message

SECRET = "primes: output: 2 of 91 elements are wrong, the worst at [6, 12]: 0 instead of 1.5"


@pytest.mark.parametrize(
    "name", ["test", "variations", "memory", "determinism", "bounds", "gradients", "triton", "new"]
)
@pytest.mark.parametrize("verdict", list(Verdict))
def test_words_about_hidden_inputs_are_replaced(name: str, verdict: Verdict) -> None:
    numbers = {"wrong": [SECRET], "computed": {SECRET: 1, "size_13": 1}, "problems": {"n7": 1}}
    report = Report("kernel", verdict, SECRET, (Check(name, verdict, SECRET, numbers),), {}, {})

    shown = f"{public_checks(report)} {public_message(report)}"

    assert not any(part in shown for part in ("primes", "91", "1.5", "13", "n7"))


@pytest.mark.parametrize("verdict", [Verdict.TIMEOUT, Verdict.CRASHED])
def test_words_of_a_process_that_broke_are_replaced(verdict: Verdict) -> None:
    report = Report("kernel", verdict, SECRET, (Check("accuracy", verdict, SECRET),), {}, {})

    assert "91" not in f"{public_checks(report)} {public_message(report)}"


def test_words_about_the_shown_cases_and_the_torch_operations_remain() -> None:
    checks = (
        Check("test", Verdict.FAILED, "a line that the kernel printed"),
        Check("accuracy", Verdict.FAILED, "case 2: 4 instead of 5"),
        Check("triton", Verdict.NOT_TRITON, "", {"computed": {"aten::sum.dim_IntList": 3}}),
    )
    report = Report("kernel", Verdict.FAILED, "", checks, {}, {})

    assert public_message(report) == "accuracy: case 2: 4 instead of 5"
    assert public_checks(report)[2]["words"] == "its own kernels do not compute the answer: sum"
