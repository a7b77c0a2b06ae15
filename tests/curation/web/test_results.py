"""The Results tab of a pair: only what was measured, with names and formats that people read."""

import re
from typing import Any

import pytest
from django.test import Client

from curation.models import Outcome, ValidationCheck, ValidationResult
from curation.web import plot
from curation.web.figures import named
from curation.web.results import (
    check_rows,
    environment_of,
    error_dots,
    figures_of,
)
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ZEROS = {"max_abs_error": 0.0, "max_rel_error": 0.0, "share_of_allowed": 0.0}
# A pair that raised before any launch.
RAISED_EARLY: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("test", "failed", "5 tests fail: AttributeError", {"passed": 0, "failed": 5, "skipped": 0}),
    ("accuracy", "failed", "case 0: raised AttributeError", {"cases": 5}),
    ("variations", "failed", "primes: raised AttributeError", {"cases": 15}),
    ("memory", "passed", "inputs unchanged", {}),
    ("determinism", "skipped", "nothing was run twice", {"twice": 0, "different": 0}),
    (
        "triton", "skipped", "it raised before it launched anything",
        {"launches": {}, "computed": {}, "foreign": {}},
    ),
    ("bounds", "passed", "no byte beside a tensor was written to", {}),
    ("gradients", "skipped", "the entry declares none", {}),
    ("conduct", "passed", "no suspicious operations", {}),
    ("falsifiable", "passed", "the test notices 1 kind of damage", {"noticed": ["all zeros"]}),
)  # fmt: skip


def a_result(*checks: tuple[str, str, str, dict[str, Any]], **over: Any) -> ValidationResult:
    result = make.a_validation_result(**{"verdict": "failed", "pair": make.a_pair()} | over)
    for name, outcome, message, figures in checks:
        make.a_validation_check(
            result=result, name=name, outcome=outcome, message=message, figures=figures
        )
    return result


def rows(result: ValidationResult) -> dict[str, tuple[str, str]]:
    shown = check_rows(result, list(result.checks.all()))
    return {row.name: (row.outcome_label, row.message) for row in shown}


def tab_of(browser: Client, result: ValidationResult) -> str:
    assert result.pair
    return browser.get(f"{result.pair.get_absolute_url()}?tab=results").content.decode()


def test_the_plot_of_errors_has_an_axis_with_ticks_and_a_dot(browser: Client) -> None:
    result = a_result(("accuracy", "passed", "right", {"cases": 5, "share_of_allowed": 0.17}))

    page = tab_of(browser, result)

    for tick in ("≤ 0.0001%", "0.01%", "1%", "100%", "≥ 100 times"):
        assert page.count(f">{tick}<") == 1
    assert "17% of the tolerance" in page
    assert len(re.findall(r'<circle[^>]*class="in"', page)) == 1


def written(figures: dict[str, Any]) -> dict[str, str]:
    return {figure.name: figure.value for figure in named(figures)}


def test_a_pair_that_raised_before_any_launch_shows_no_error_and_no_dot(browser: Client) -> None:
    result = a_result(*RAISED_EARLY, figures={"cases": 20, "runs": 29, **ZEROS})

    page = tab_of(browser, result)

    assert "<circle" not in page
    assert "Errors against tolerance" not in page
    assert not re.search("(?i)absolute error|share of the tolerance", page)
    assert "AttributeError" in page


def test_failed_checks_are_listed_first_and_skipped_checks_last() -> None:
    result = a_result(*RAISED_EARLY)

    shown = [row.outcome for row in check_rows(result, list(result.checks.all()))]

    assert shown == ["failed"] * 3 + ["passed"] * 4 + ["skipped"] * 3


def test_checks_after_an_early_end_are_listed_as_not_run() -> None:
    shown = rows(a_result(("accuracy", "failed", "ModuleNotFoundError", {}), verdict="error"))

    assert len(shown) == 9
    assert next(iter(shown)) == "Accuracy"
    assert shown["Memory"] == ("Not run", "The validation ended with “Accuracy” before this check.")


def test_a_validation_without_checks_lists_each_check_as_not_run() -> None:
    shown = rows(a_result(verdict="crashed"))

    assert set(shown.values()) == {("Not run", "The validation ended before this check.")}


def test_an_impossible_timing_is_shown_as_inconclusive() -> None:
    figures = {"timing": {"impossible": "0.1"}}

    shown = rows(
        a_result(("timing", "skipped", "impossible: 0.1 µs", {}), verdict="passed", figures=figures)
    )

    assert shown == {"Timing": ("Inconclusive", "impossible: 0.1 µs")}


def test_the_dot_of_a_check_mentions_a_failure_for_another_reason() -> None:
    figures = {"cases": 5, "share_of_allowed": 0.17, "max_abs_error": 0.02}
    result = a_result(("accuracy", "failed", "case 3: raised ValueError", figures))

    [(dot, name, words)] = error_dots(list(result.checks.all()))

    assert (dot.state, name) == ("other", "Accuracy")
    assert words == "17% of the tolerance; failed for another reason"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "no error"),
        (0.0412, "4.1% of the tolerance"),
        (1.7, "170% of the tolerance"),
        (800472.99, "800,473 times the tolerance"),
    ],
)
def test_a_dot_has_a_text_for_its_value(share: float, words: str) -> None:
    outcome = Outcome.PASSED if share <= 1 else Outcome.FAILED
    result = a_result(("accuracy", outcome, "", {"share_of_allowed": share}))

    assert [said for *_, said in error_dots(list(result.checks.all()))] == [words]


def test_figures_are_shown_with_readable_names_and_formats() -> None:
    assert written(
        {
            "max_abs_error": 9.5367e-7,
            "share_of_allowed": 0.1701254,
            "cases": 1200,
            "wrong": ["case 0", "case 1"],
            "launches": {"add_kernel": 22},
            "unlaunched": ["long_kernel"],
            "timed_case": {"n": 4096, "dtype": "float32"},
            "kernel_seconds": 0.043,
            "seconds": {"inputs": 0.0044, "total": 1.0874},
        }
    ) == {
        "Largest absolute error": "9.54e-07",
        "Share of the tolerance used": "17%",
        "Inputs tried": "1,200",
        "Wrong for": "case 0, case 1",
        "Kernels launched": "add_kernel (22 times)",
        "Kernels launched by no input": "long_kernel",
        "Timed inputs": "n = 4096, dtype = float32",
        "Time in the Triton code": "43 ms",
        "Time by step": "make inputs 4 ms, total 1.09 s",
    }


def test_empty_figures_are_omitted() -> None:
    assert written({"launches": {}, "wrong": [], "max_abs_error": None, "limits": ""}) == {}


def test_figures_with_an_unknown_name_or_shape_are_still_shown() -> None:
    assert written({"new_measure": {"a": [1, 2.5]}, "cases": "many", "seconds": "long"}) == {
        "New measure": "a = 1, 2.5",
        "Inputs tried": "many",
        "Time by step": "long",
    }


def test_the_figures_of_a_validation_omit_those_of_its_checks() -> None:
    result = a_result(figures={"cases": 3, "runs": 29, "timing": {}, "speedup": 2.0, **ZEROS})

    assert [figure.name for figure in figures_of(result)] == ["Runs"]


def test_the_environment_is_shown_with_readable_names() -> None:
    run = make.a_validation_run(environment={"torch": "2.13.0", "memory_gb_s": "3350"})
    result = a_result(run=run)

    assert [(one.name, one.value) for one in environment_of(result)] == [
        ("PyTorch", "2.13.0"),
        ("Memory bandwidth, GB/s", "3350"),
    ]


def test_grades_are_on_the_claim_sheet_and_not_among_the_figures() -> None:
    variations = ("variations", "passed", "right on 4 inputs", {"cases": 4, "accuracy": "close"})
    result = a_result(variations, figures={"runs": 3, "grades": {"accuracy": "close"}})

    assert [figure.name for figure in figures_of(result)] == ["Runs"]
    (row,) = (row for row in check_rows(result, list(result.checks.all())) if row.figures)
    assert [figure.name for figure in row.figures] == ["Inputs tried"]


def test_the_results_tab_lists_the_mistakes_that_were_planted(browser: Client) -> None:
    result = a_result(verdict="passed")
    make.a_repair_trace(pair=result.pair, kind="wrong-axis")

    page = tab_of(browser, result)

    assert "Planted mistakes" in page
    assert "wrong-axis" in page
    assert "3 of 7 elements are wrong" in page


# --- The small plot of errors ----------------------------------------------------------------
def a_check(share: object, outcome: str = Outcome.PASSED) -> ValidationCheck:
    return ValidationCheck(name="accuracy", outcome=outcome, figures={"share_of_allowed": share})


@pytest.mark.parametrize(
    ("share", "position", "state"),
    [
        (1.0, 100.0, "in"),
        (1e-3, 50.0, "in"),
        (0.0, 0.0, "in"),
        (1e-12, 0.0, "in"),
        (10.0, 116.67, "out"),
        (1e9, 133.33, "out"),
        ("inf", 133.33, "out"),
        ("nan", 133.33, "out"),
    ],
)
def test_a_dot_is_placed_by_its_share_of_the_allowed_error(
    share: object, position: float, state: str
) -> None:
    [dot] = plot.errors([a_check(share)])

    assert (dot.position, dot.state) == (position, state)


def test_a_check_that_failed_within_its_tolerance_has_no_good_dot() -> None:
    [dot] = plot.errors([a_check(0.2, Outcome.FAILED)])

    assert dot.state == "other"


def test_each_tick_has_the_position_of_a_dot_with_its_value() -> None:
    dots = plot.errors([a_check(share) for share in (1e-6, 1e-4, 1e-2, 1.0, 100.0)])

    assert [dot.position for dot in dots] == [tick.position for tick in plot.TICKS]


def test_a_check_without_a_comparison_has_no_dot() -> None:
    checks = [
        ValidationCheck(name="memory"),
        ValidationCheck(name="odd", figures={"share_of_allowed": None}),
    ]

    assert plot.errors(checks) == []
