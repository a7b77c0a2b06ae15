"""Answers of a process, judged against the reference's."""

from typing import Any

import pytest

from tests.validation.harness.numbers_of import numbers_of, value_of
from validation.harness.judge import replay_evidence
from validation.harness.judge.compare import Grade
from validation.harness.judge.practical import PracticalBound
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.trial_plan import Trial

ONES = Wanted(value_of(numbers_of([1.0] * 8)))


def judged(
    answer: list[float], *input_types: str, case: dict[str, Any] | None = None, length: int = 8,
    kind: str = "shown", **said: Any,
) -> JudgedReplay:  # fmt: skip
    trial = Trial(0, "case 0", kind, case or {})
    inputs = [{"storage": n, "shape": [8], "dtype": dtype} for n, dtype in enumerate(input_types)]
    tree = {"tensor": 0, "dtype": "float32", "shape": [length]}
    answered = {"value": tree, "gradients": [], "aliases": []}
    run = {"trial": 0, "mode": "first", "answer": answered, **said}
    (outcome,) = replay_evidence.outcomes(
        {"runs": [run]},
        [numbers_of(answer).raw],
        Inputs([trial], {0: {"tuple": inputs}}, []),
        {0: ONES},
        PracticalBound(),
    )
    return outcome


@pytest.mark.parametrize("kind", ["shown", "size", "values", "limit"])
def test_a_run_that_writes_beside_a_tensor_is_wrong(kind: str) -> None:
    outcome = judged([1.0] * 8, kind=kind, trespass=["writes to 165 bytes after the end"])

    assert not outcome.right
    assert outcome.words == "writes to 165 bytes after the end"


def test_an_answer_that_contradicts_its_description_is_wrong() -> None:
    outcome = judged([1.0] * 2, length=9)

    assert not outcome.right
    assert "not as many as its shape says" in outcome.words


@pytest.mark.parametrize(
    ("input_types", "case", "right"),
    [
        (["float32"], {}, False),
        (["float32", "float16"], {}, True),
        (["int64", "bfloat16"], {}, True),
        (["float16"], {"dtype": "float32"}, False),
        (["float32"], {"dtype": "float16"}, True),
    ],
)
def test_a_state_computed_from_halves_may_be_as_far_off_as_halves(
    input_types: list[str], case: dict[str, Any], right: bool
) -> None:
    outcome = judged([1.005] * 8, *input_types, case=case)

    assert outcome.right is right
    if right:
        assert outcome.worst.grade is Grade.WITHIN
