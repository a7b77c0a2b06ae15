"""Each check by itself, on evidence made by hand."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from tests.validation.harness.numbers_of import numbers_of, value_of
from validation.harness.judge import checks
from validation.harness.judge.compare import Comparison
from validation.harness.judge.falsifiable import falsifiable
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.plan.trial_plan import Trial
from validation.harness.report import Check, Verdict, figures, presentable, verdict_of

ONES, TWOS = numbers_of([1.0] * 8), numbers_of([2.0] * 8)
COUNTING = numbers_of([float(n) for n in range(8)])
EMPTY = numbers_of([])


def a_run(
    number: int = 0, *, kind: str = "shown", mode: str = "first", right: bool = True,
    value: Any = ONES, words: str = "output: wrong", aliases: tuple[bool, ...] = (False,),
    gradients: tuple[Any, ...] = (), raised: dict[str, Any] | None = None, **said: Any,
) -> JudgedReplay:  # fmt: skip
    trial = Trial(number, f"case {number}", kind, {})
    held = None if value is None else value_of(value, aliases=aliases, gradients=gradients)
    said = {"launches": {"kernel": 1}, **said}
    return JudgedReplay(
        trial, mode, right, "" if right else words, Comparison(""), held, raised, said
    )


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
        ({"raised": {"type": "SystemExit"}}, Verdict.ERROR),
    ],
)
def test_the_test_check_passes_only_if_pytest_ran_passed_and_returned(
    over: dict[str, Any], verdict: Verdict
) -> None:
    assert checks.test(pytest_said(**over)).verdict is verdict


CLOSE = (
    "<built-in method allclose of type object at 0x7f8670>(tensor([1.]), tensor([2.]), rtol=0.001)"
)


@pytest.mark.parametrize(
    ("complaint", "words"),
    [
        (
            f"    assert torch.allclose(x, y)\nE   assert False\nE    +  where False = {CLOSE}\n"
            "E    +    where <built-in method allclose of type object at 0x7f86> = torch.allclose",
            "False = allclose(tensor([1.]), tensor([2.]), rtol=0.001)",
        ),
        (
            "E   assert torch.Size([3]) == torch.Size([4])\nE     \n"
            "E     At index 0 diff: 3 != 4\nE     Use -v to get more diff",
            "assert torch.Size([3]) == torch.Size([4]); At index 0 diff: 3 != 4",
        ),
        ("test_code.py:3: in <module>\nE   NameError: x", "NameError: x"),
        ("no error line", "no error line"),
    ],
)
def test_a_failed_test_is_told_with_the_compared_values(complaint: str, words: str) -> None:
    said = pytest_said(failed=2, exit=1, complaint=complaint)

    assert checks.test(said).words == f"2 tests fail: {words}"


# --- 2 and 3: the answers -------------------------------------------------------------------
RAISED: dict[str, Any] = {"right": False, "value": None, "raised": {"type": "AttributeError"}}


def test_runs_that_raised_have_no_error_figure() -> None:
    check = checks.accuracy([a_run(**RAISED)], wanted(ONES))

    assert check.verdict is Verdict.ERROR
    assert check.numbers.keys().isdisjoint({"max_abs_error", "max_rel_error", "share_of_allowed"})
    assert figures([check]) == {"cases": 1}


def test_an_answer_of_another_shape_has_no_error_figure() -> None:
    check = checks.accuracy([a_run(right=False, value=COUNTING)], wanted(ONES))

    assert "max_abs_error" not in check.numbers


def test_error_figures_come_only_from_comparable_runs() -> None:
    check = checks.accuracy([a_run(0), a_run(1, **RAISED)], wanted(ONES, ONES))

    assert (check.numbers["cases"], check.numbers["max_abs_error"]) == (2, 0.0)


def test_accuracy_is_not_checked_without_an_answer() -> None:
    assert checks.accuracy([], {}).verdict is None


def test_a_fault_only_in_an_untested_layout_is_a_limit() -> None:
    runs = [a_run(0, kind="seed"), a_run(1, kind="limit", right=False)]

    check = checks.variations(runs, wanted(ONES, ONES), "manual")

    assert check.verdict is Verdict.PASSED
    assert check.numbers["limits"] == ["case 1"]


@pytest.mark.parametrize("origin", ["manual", "template", "inductor", "", "real-world"])
@pytest.mark.parametrize(
    ("kind", "grade"), [("size", "sizes"), ("values", "values"), ("property", "values")]
)
def test_a_fault_at_untested_sizes_is_tolerated_only_for_real_world_code(
    kind: str, grade: str, origin: str
) -> None:
    runs = [a_run(0, kind="seed"), a_run(1, kind=kind, right=False)]

    check = checks.variations(runs, wanted(ONES, ONES), origin)

    real = origin.startswith("real-world")
    assert check.verdict is (Verdict.PASSED if real else Verdict.FAILED)
    assert (check.numbers[grade], check.numbers[f"{grade}_wrong"]) == ("shown", ["case 1"])


@pytest.mark.parametrize("kind", ["special", "huge"])
def test_a_different_answer_for_special_values_is_a_note(kind: str) -> None:
    check = checks.variations([a_run(0, kind=kind, right=False)], wanted(ONES), "manual")

    assert check.verdict is not Verdict.FAILED
    assert check.numbers["special_values"] == "differ"


@pytest.mark.parametrize(
    ("kind", "unseen", "grade"), [("size", True, "any"), ("size", False, "not_tried")]
)
def test_sizes_were_tried_only_if_inputs_had_other_shapes(
    kind: str, unseen: bool, grade: str
) -> None:
    run = a_run(1, kind=kind)
    runs = [a_run(0, kind="seed"), replace(run, trial=replace(run.trial, unseen=unseen))]

    check = checks.variations(runs, wanted(ONES, ONES), "manual", "FIXED names every size")

    assert (check.verdict, check.numbers["sizes"]) == (Verdict.PASSED, grade)
    assert check.words.endswith("sizes not tried: FIXED names every size") is not unseen


def test_answered_multiples_of_four_are_not_called_refused() -> None:
    doubled = a_run(1, kind="near")

    check = checks.variations([a_run(0, kind="seed"), doubled], wanted(ONES, ONES), "manual")

    reason = "the reference answers no other size, or only multiples of four"
    assert check.numbers["sizes_untried"] == reason


def test_values_without_a_trial_are_not_tried() -> None:
    numbers = checks.variations([a_run(0, kind="seed")], wanted(ONES), "manual").numbers

    assert numbers["values"] == numbers["special_values"] == "not_tried"


def test_a_wrong_answer_at_a_nearby_size_fails_real_code_too() -> None:
    wrong = [a_run(0, kind="near", right=False)]
    refused = [a_run(0, kind="near", **RAISED)]

    assert checks.variations(wrong, wanted(ONES), "real-world").verdict is Verdict.FAILED
    of_real_code = checks.variations(refused, wanted(ONES), "real-world")
    assert (of_real_code.verdict, of_real_code.numbers["sizes"]) == (None, "shown")
    assert checks.variations(refused, wanted(ONES), "manual").verdict is Verdict.ERROR


# --- 4: memory ------------------------------------------------------------------------------
def test_an_output_may_alias_an_input_only_if_the_reference_does() -> None:
    run = a_run(aliases=(True,))

    assert checks.memory([run], wanted(ONES)).verdict is Verdict.FAILED
    allowed = {0: Wanted(value_of(ONES, aliases=(True,)))}
    assert checks.memory([run], allowed).verdict is Verdict.PASSED


def test_an_answer_with_poison_values_was_never_written() -> None:
    poison = numbers_of([-1] * 4, "int32")

    check = checks.memory([a_run(right=False, value=poison)], wanted(numbers_of([0] * 4, "int32")))

    assert check.verdict is Verdict.FAILED
    assert "never written" in check.words


def test_memory_is_not_checked_without_an_answer() -> None:
    assert checks.memory([a_run(**RAISED)], wanted(ONES)).verdict is None


def test_an_answer_that_is_wrong_in_another_order_of_programs_depends_on_the_order() -> None:
    runs = [a_run(), a_run(mode="second"), a_run(mode="shuffled", right=False)]

    memory, accuracy = checks.memory(runs, wanted(ONES)), checks.accuracy(runs, wanted(ONES))

    assert (memory.verdict, accuracy.verdict) == (Verdict.FAILED, Verdict.FAILED)
    assert "the order in which programs run" in memory.words
    assert "the order in which programs run" in accuracy.words


def test_unwritten_memory_is_not_blamed_on_the_order_of_programs() -> None:
    wrong = [a_run(mode=mode, right=False) for mode in ("first", "reversed", "shuffled")]

    check = checks.memory([*wrong, a_run(mode="second")], wanted(ONES))

    assert "unwritten memory" in check.words


def test_the_memory_check_names_the_orders_of_programs_that_were_tried() -> None:
    waiting = checks.memory([a_run(), a_run(mode="second")], wanted(ONES))
    tried = checks.memory([a_run(), a_run(mode="reversed")], wanted(ONES))

    assert (waiting.numbers, tried.numbers) == ({"orders": []}, {"orders": ["reversed"]})


# --- 5: twice -------------------------------------------------------------------------------
def test_answers_that_differ_within_tolerance_are_marked_not_deterministic() -> None:
    same = checks.determinism([a_run(mode="first"), a_run(mode="second")])
    other = checks.determinism([a_run(mode="first"), a_run(mode="second", value=TWOS)])

    assert (same.verdict, same.numbers["different"]) == (Verdict.PASSED, 0)
    assert (other.verdict, other.numbers["different"]) == (Verdict.PASSED, 1)
    assert other.words.startswith("not deterministic")


# --- 6: Triton ------------------------------------------------------------------------------
KERNEL = """
@triton.jit
def {0}(x, out):
    tl.store(out, tl.load(x))


def use_{0}(x, out):
    {0}[(1,)](x, out)
"""


def triton(runs: list[JudgedReplay], idle: list[JudgedReplay], **more: Any) -> Check:
    return checks.triton(
        runs, idle, more.get("problems", {}), more.get("computed", {}), more.get("in_test", ""),
        more.get("text", ""),
    )  # fmt: skip


def test_an_empty_answer_is_right_without_a_kernel_too() -> None:
    assert triton([a_run()], [a_run(mode="idle", value=EMPTY)]).verdict is Verdict.PASSED


def test_operations_that_torch_computes_are_named_with_their_share() -> None:
    small = a_run(computed={"sum": 64}, bytes={"": 8, "kernel": 8})
    large = a_run(computed={"sum": 64}, bytes={"": 64, "kernel": 192})

    check = triton([small, large], [])

    assert check.verdict is Verdict.PASSED
    assert check.numbers["computed_by"] == "mixed"
    assert check.numbers["torch_operations"] == ["sum"]
    assert check.numbers["torch_share"] == 0.25


def test_kernels_that_only_copy_do_not_dilute_the_share_of_torch() -> None:
    run = a_run(computed={"sum": 64}, bytes={"": 64, "kernel": 192})

    check = triton([run], [], text=KERNEL.format("kernel"))

    assert check.numbers["torch_share"] == 1.0


def test_a_copy_into_another_layout_is_named_where_kernels_only_copy() -> None:
    table = numbers_of([[1.0, 2.0], [3.0, 4.0]])
    copied = a_run(value=table, rearranged=64, bytes={"kernel": 64})
    text = KERNEL.format("kernel")

    numbers = triton([copied], [], text=text).numbers

    assert numbers["torch_operations"] == ["a copy into another layout"]
    assert numbers["torch_share"] == 0.5
    assert triton([copied, a_run(value=table)], [], text=text).numbers["computed_by"] == "triton"
    adds = text.replace("tl.load(x)", "tl.load(x) + 1")
    assert triton([copied], [], text=adds).numbers["computed_by"] == "triton"


def test_a_kernel_that_no_input_launches_is_named() -> None:
    check = triton([a_run()], [], text=KERNEL.format("kernel") + KERNEL.format("large_kernel"))

    assert check.verdict is Verdict.PASSED
    assert check.words.endswith("; no input launches large_kernel")
    assert check.numbers["unlaunched"] == ["large_kernel"]
    assert check.numbers["launched"] == "some"
    whole = triton([a_run()], [], text=KERNEL.format("kernel")).numbers
    assert (whole["launched"], "unlaunched" in whole) == ("all", False)


# --- 7: the test can fail -------------------------------------------------------------------
def survey(**over: Any) -> dict[str, Any]:
    return {"control": None, "noticed": ["all zeros"], "unnoticed": [], **over}


@pytest.mark.parametrize(
    ("over", "answers", "verdict"),
    [
        ({}, (ONES, TWOS), Verdict.PASSED),
        ({"unnoticed": ["another type", "small relative error"]}, (ONES, TWOS), Verdict.PASSED),
        ({"control": {"type": "AssertionError"}}, (ONES, TWOS), Verdict.FAILED),
        ({}, (numbers_of([]),) * 2, Verdict.VACUOUS),
    ],
)
def test_a_test_must_accept_the_reference_and_compare_elements_but_may_miss_minor_damage(
    over: dict[str, Any], answers: tuple[Any, Any], verdict: Verdict
) -> None:
    check = falsifiable(survey(**over), wanted(*answers), [0, 1], differing=[[0, 1]])

    assert check.verdict is verdict


@pytest.mark.parametrize(
    ("called", "words"), [(False, "never calls the candidate"), (True, "nothing that could be dam")]
)
def test_a_vacuous_test_names_an_uncalled_candidate_or_an_undamageable_answer(
    called: bool, words: str
) -> None:
    said = survey(noticed=[], called=called)

    assert words in falsifiable(said, wanted(ONES), shown=[0], differing=[]).words


# --- 8 and 9 --------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["size", "values", "limit"])
def test_only_real_code_may_write_next_to_a_tensor_beyond_what_is_shown(kind: str) -> None:
    runs = [a_run(0), a_run(1, kind=kind, right=False, trespass=["writes to 4 bytes"])]

    def verdict(origin: str) -> Verdict | None:
        return checks.bounds(checks.in_bounds(runs, origin), sees_reads=True).verdict

    assert (verdict("manual"), verdict("real-world")) == (Verdict.FAILED, Verdict.PASSED)


def test_a_gpu_does_not_see_reads_out_of_bounds() -> None:
    check = checks.bounds([a_run()], sees_reads=False)

    assert check.words.endswith("reads out of bounds: not seen")
    assert check.numbers == {"reads": "not_seen"}


def test_bounds_are_not_checked_without_a_launch() -> None:
    assert checks.bounds([a_run(launches={})], sees_reads=True).verdict is None


def test_right_gradients_of_the_runs_with_an_answer_are_counted() -> None:
    check = checks.gradients([a_run(gradients=(ONES,)), a_run(**RAISED)], declared=True)

    assert (check.verdict, check.numbers) == (Verdict.PASSED, {"compared": 1})


# --- All together ---------------------------------------------------------------------------
def test_the_worst_check_determines_verdict_and_message() -> None:
    made = [
        Check("test", Verdict.PASSED, "fine"),
        Check("memory", Verdict.FAILED, "changed"),
        Check("triton", Verdict.NOT_TRITON, "torch computes"),
        Check("gradients", None, "none"),
        Check("bounds", Verdict.PASSED, "fine"),
    ]

    assert verdict_of(made) == (Verdict.NOT_TRITON, "torch computes")
    assert verdict_of([made[0], *made[3:]]) == (Verdict.PASSED, "2 checks pass")


def test_check_messages_of_an_entry_are_sanitized() -> None:
    said = Check("test", Verdict.FAILED, "\x1b[32mPASSED\0\ud800\n" + "z" * 9999, {"x": math.inf})

    shown = presentable(said)

    assert shown.words.startswith("\ufffd[32mPASSED\ufffd\ufffd\nzzz")
    assert len(shown.words) == 2000
    assert shown.numbers == {"x": None}
    json.dumps(shown.numbers, allow_nan=False)
