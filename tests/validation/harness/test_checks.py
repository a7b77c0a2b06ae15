"""From what was seen to a verdict: each check by itself, on evidence made by hand."""

import json
import math
from typing import Any

import pytest

from tests.validation.harness.numbers_of import numbers_of, value_of
from validation.harness.judge import checks, evidence
from validation.harness.judge.compare import Comparison
from validation.harness.judge.evidence import Outcome, Wanted
from validation.harness.plan import Trial
from validation.harness.report import Check, Verdict, presentable
from validation.harness.verdicts import figures, verdict_of

ONES, TWOS = numbers_of([1.0] * 8), numbers_of([2.0] * 8)
COUNTING = numbers_of([float(n) for n in range(8)])
EMPTY = numbers_of([])


def a_run(
    number: int = 0, *, kind: str = "shown", mode: str = "veiled", right: bool = True,
    value: Any = ONES, words: str = "output: wrong", aliases: tuple[bool, ...] = (False,),
    gradients: tuple[Any, ...] = (), raised: dict[str, Any] | None = None, **said: Any,
) -> Outcome:  # fmt: skip
    trial = Trial(number, f"case {number}", kind, {})
    held = None if value is None else value_of(value, aliases=aliases, gradients=gradients)
    said = {"launches": {"kernel": 1}, **said}
    return Outcome(trial, mode, right, "" if right else words, Comparison(""), held, raised, said)


def wanted(*answers: Any) -> dict[int, Wanted]:
    return {number: Wanted(value_of(answer)) for number, answer in enumerate(answers)}


# --- 1: its own test ------------------------------------------------------------------------
def pytest_said(**over: Any) -> dict[str, Any]:
    return {"passed": 3, "failed": 0, "skipped": 0, "exit": 0, "raised": None, **over}


@pytest.mark.parametrize(
    ("over", "verdict"),
    [
        ({}, Verdict.PASSED),
        ({"failed": 1, "exit": 1, "complaint": "E   assert False"}, Verdict.FAILED),
        ({"passed": 0}, Verdict.VACUOUS),
        ({"passed": 0, "skipped": 3}, Verdict.VACUOUS),
        ({"exit": 5}, Verdict.FAILED),
        ({"raised": {"type": "SystemExit"}}, Verdict.CHEATING),
    ],
)
def test_a_green_test_is_one_that_ran_passed_and_came_back(
    over: dict[str, Any], verdict: Verdict
) -> None:
    assert checks.test(pytest_said(**over)).verdict is verdict


# --- 2 and 3: the answers -------------------------------------------------------------------
def test_one_wrong_answer_fails_and_is_named() -> None:
    check = checks.accuracy([a_run(0), a_run(1, right=False)], wanted(ONES, ONES))

    assert check.verdict is Verdict.FAILED
    assert check.words.startswith("case 1: output: wrong")


RAISED: dict[str, Any] = {"right": False, "value": None, "raised": {"type": "AttributeError"}}


def test_runs_that_raised_have_no_error() -> None:
    check = checks.accuracy([a_run(**RAISED)], wanted(ONES))

    assert check.verdict is Verdict.ERROR
    assert check.numbers.keys().isdisjoint({"max_abs_error", "max_rel_error", "share_of_allowed"})
    assert figures([check]) == {"cases": 1}


def test_an_answer_of_another_shape_has_no_error() -> None:
    check = checks.accuracy([a_run(right=False, value=COUNTING)], wanted(ONES))

    assert "max_abs_error" not in check.numbers


def test_errors_are_those_of_the_runs_that_could_be_compared() -> None:
    check = checks.accuracy([a_run(0), a_run(1, **RAISED)], wanted(ONES, ONES))

    assert (check.numbers["cases"], check.numbers["max_abs_error"]) == (2, 0.0)


def test_without_an_answer_nothing_passes() -> None:
    assert checks.accuracy([], {}).verdict is None


def test_a_layout_that_no_case_shows_is_a_limit_and_no_fault() -> None:
    runs = [a_run(0, kind="size"), a_run(1, kind="limit", right=False)]

    check = checks.variations(runs, wanted(ONES, ONES))

    assert check.verdict is Verdict.PASSED
    assert check.numbers["limits"] == ["case 1"]


# --- 4: memory ------------------------------------------------------------------------------
def test_an_input_is_changed_only_where_the_reference_changes_it() -> None:
    run = a_run(mutated=[{"storage": 1}])

    assert checks.memory([run], wanted(ONES)).verdict is Verdict.FAILED
    allowed = {0: Wanted(value_of(ONES), mutated=(1,))}
    assert checks.memory([run], allowed).verdict is Verdict.PASSED


def test_an_output_is_memory_of_an_input_only_where_the_references_is() -> None:
    run = a_run(aliases=(True,))

    assert checks.memory([run], wanted(ONES)).verdict is Verdict.FAILED
    allowed = {0: Wanted(value_of(ONES, aliases=(True,)))}
    assert checks.memory([run], allowed).verdict is Verdict.PASSED


def test_an_answer_is_not_written_over_by_the_next() -> None:
    check = checks.memory([a_run(), a_run(again=True)], wanted(ONES))

    assert check.verdict is Verdict.FAILED
    assert "handed out before" in check.words


def test_poison_that_is_handed_out_was_never_written_over() -> None:
    poison = numbers_of([-1] * 4, "int32")

    check = checks.memory([a_run(right=False, value=poison)], wanted(numbers_of([0] * 4, "int32")))

    assert check.verdict is Verdict.FAILED
    assert "nobody wrote" in check.words


def test_memory_is_not_checked_without_an_answer() -> None:
    assert checks.memory([a_run(**RAISED)], wanted(ONES)).verdict is None


# --- 5: twice -------------------------------------------------------------------------------
def test_answers_that_differ_within_what_is_allowed_are_marked() -> None:
    same = checks.determinism([a_run(mode="veiled"), a_run(mode="plain")])
    other = checks.determinism([a_run(mode="veiled"), a_run(mode="plain", value=TWOS)])

    assert (same.verdict, same.numbers["different"]) == (Verdict.PASSED, 0)
    assert (other.verdict, other.numbers["different"]) == (Verdict.PASSED, 1)
    assert other.words.startswith("not deterministic")


# --- 6: Triton ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("runs", "idle", "verdict", "said"),
    [
        ([a_run()], [a_run(mode="idle", right=False)], Verdict.PASSED, "depends on it"),
        ([a_run()], [a_run(mode="idle")], Verdict.CHEATING, "kernels do nothing"),
        ([a_run(computed={"aten.add": 1})], [], Verdict.CHEATING, "aten.add"),
        ([a_run(launches={})], [], Verdict.CHEATING, "no Triton kernel"),
        ([a_run(launches={}, right=False)], [], Verdict.FAILED, "no Triton kernel"),
        ([a_run(launches={}, foreign={"theirs": 1})], [], Verdict.CHEATING, "theirs"),
        (
            [a_run(right=False), a_run(mode="sighted")],
            [],
            Verdict.CHEATING,
            "only where the launcher can see",
        ),
    ],
)
def test_the_answer_comes_from_its_own_kernels(
    runs: list[Outcome], idle: list[Outcome], verdict: Verdict, said: str
) -> None:
    check = checks.triton(runs, idle)

    assert check.verdict is verdict
    assert said in check.words


def test_an_empty_answer_is_right_without_a_kernel_too() -> None:
    assert checks.triton([a_run()], [a_run(mode="idle", value=EMPTY)]).verdict is Verdict.PASSED


def test_an_earlier_answer_is_recognised() -> None:
    runs = [a_run(0, value=COUNTING), a_run(1, value=COUNTING, right=False)]

    assert "right answer to case 0" in checks.echo(runs, wanted(COUNTING, ONES))


def test_the_same_values_laid_out_otherwise_make_no_echo() -> None:
    """A gradient may be wrong there, while the answer is what it was before."""
    for kind in ("layout", "limit"):
        runs = [a_run(0, value=COUNTING), a_run(1, kind=kind, right=False, value=COUNTING)]

        assert checks.echo(runs, wanted(COUNTING, COUNTING)) == ""


@pytest.mark.parametrize("kind", ["special", "size"])
@pytest.mark.parametrize("lenient", [True, False])
def test_what_others_wrote_may_answer_a_nan_otherwise_and_the_report_says_so(
    kind: str, lenient: bool
) -> None:
    swallowed, truth = numbers_of([0.0, 2.0]), numbers_of([math.nan, 2.0])
    tree = {"tensor": 0, "dtype": "float32", "shape": [2], "device": "cpu"}
    answer = {"value": tree, "gradients": [], "aliases": [False]}
    said = {"runs": [{"trial": 3, "mode": "veiled", "answer": answer}]}
    trial = Trial(3, "NaN among the values", kind, {})

    runs = evidence.outcomes(
        said, [swallowed.raw], [trial], {3: Wanted(value_of(truth))}, lenient=lenient
    )
    check = checks.variations(runs, {3: Wanted(value_of(truth))})

    assert runs[0].right is (lenient and kind == "special")
    assert (check.verdict is Verdict.PASSED) is runs[0].right
    assert not runs[0].right or "otherwise where the reference is not finite" in check.words


def test_a_constant_or_nearly_the_same_input_makes_no_echo() -> None:
    constant = [a_run(0, value=ONES), a_run(1, value=ONES, right=False)]
    special = [a_run(0, value=COUNTING), a_run(1, kind="special", value=COUNTING, right=False)]

    assert checks.echo(constant, wanted(ONES, TWOS)) == ""
    assert checks.echo(special, wanted(COUNTING, ONES)) == ""


# --- 7: the test can fail -------------------------------------------------------------------
def survey(**over: Any) -> dict[str, Any]:
    return {"control": None, "noticed": ["all zeros"], "unnoticed": [], **over}


@pytest.mark.parametrize(
    ("said", "answers", "verdict"),
    [
        (survey(), (ONES, TWOS), Verdict.PASSED),
        (survey(unnoticed=["all zeros"]), (ONES, TWOS), Verdict.VACUOUS),
        (survey(noticed=[]), (ONES, TWOS), Verdict.VACUOUS),
        (survey(control={"type": "AssertionError"}), (ONES, TWOS), Verdict.FAILED),
        (survey(), (ONES, ONES), Verdict.VACUOUS),
        (survey(), (EMPTY, EMPTY), Verdict.VACUOUS),
    ],
    ids=["notices", "blind", "calls nothing", "red anyway", "deaf reference", "all empty"],
)
def test_a_test_that_cannot_fail_is_vacuous(
    said: dict[str, Any], answers: tuple[Any, Any], verdict: Verdict
) -> None:
    check = checks.falsifiable(said, wanted(*answers), shown=[0, 1], alike=[[0, 1]])

    assert check.verdict is verdict


@pytest.mark.parametrize(
    ("called", "words"), [(False, "never calls the candidate"), (True, "nothing that could be dam")]
)
def test_a_test_that_calls_what_hands_back_nothing_is_not_said_to_call_nothing(
    called: bool, words: str
) -> None:
    said = survey(noticed=[], called=called)

    assert words in checks.falsifiable(said, wanted(ONES), shown=[0], alike=[]).words


# --- 8, 9, and conduct ----------------------------------------------------------------------
def test_a_byte_beside_a_tensor_fails() -> None:
    check = checks.bounds([a_run(trespass=["4 bytes within 4 of after the end of input 0"])])

    assert check.verdict is Verdict.FAILED
    assert checks.bounds([a_run()]).verdict is Verdict.PASSED


def test_bounds_are_not_checked_without_a_launch() -> None:
    assert checks.bounds([a_run(launches={})]).verdict is None


def test_gradients_count_where_they_are_declared() -> None:
    wrong = a_run(right=False, words="gradient 0: wrong")

    assert checks.gradients([wrong], declared=False).verdict is None
    assert checks.gradients([wrong], declared=True).verdict is Verdict.FAILED
    assert checks.gradients([a_run(gradients=(ONES,))], declared=True).verdict is Verdict.PASSED


def test_what_no_kernel_needs_is_named() -> None:
    said = {"conduct": {"forks": 2}, "patched": ["torch.allclose"]}

    check = checks.conduct(said, None, [])

    assert check.verdict is Verdict.CHEATING
    assert check.words == "forks (2 times); replaces torch.allclose"
    assert checks.conduct({}, {"patched": []}, []).verdict is Verdict.PASSED


# --- All together ---------------------------------------------------------------------------
def test_the_worst_check_is_the_verdict_and_gives_its_words() -> None:
    made = [
        Check("test", Verdict.PASSED, "fine"),
        Check("memory", Verdict.FAILED, "changed"),
        Check("triton", Verdict.CHEATING, "torch computes"),
        Check("gradients", None, "none"),
        Check("bounds", Verdict.PASSED, "fine"),
    ]

    assert verdict_of(made) == (Verdict.CHEATING, "torch computes")
    assert verdict_of([made[0], *made[3:]]) == (Verdict.PASSED, "2 checks pass")


def test_words_of_an_entry_do_no_harm_where_they_are_shown() -> None:
    said = Check("test", Verdict.FAILED, "\x1b[32mPASSED\0\ud800\n" + "z" * 9999, {"x": math.inf})

    shown = presentable(said)

    assert shown.words.startswith("\ufffd[32mPASSED\ufffd\ufffd\nzzz")
    assert len(shown.words) == 2000
    assert shown.numbers == {"x": None}
    json.dumps(shown.numbers, allow_nan=False)


def test_a_process_that_says_anything_else_is_not_believed() -> None:
    trial = Trial(0, "case 0", "shown", {})
    tree = {"tensor": 0, "dtype": "float32", "shape": [9], "device": "cpu"}
    answer = {"value": tree, "gradients": [], "aliases": []}
    said = {"runs": [{"trial": 0, "mode": "veiled", "answer": answer}]}

    (outcome,) = evidence.outcomes(said, [memoryview(bytes(8))], [trial], wanted(ONES))

    assert not outcome.right
    assert "not as many as its shape says" in outcome.words
