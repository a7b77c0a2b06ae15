"""Kept answers of references are bounded, and a passing failure is not kept."""

from collections.abc import Callable

import pytest

from tests.validation.rewards.serving import WORDS
from validation.harness.options import Options
from validation.harness.plan.arguments import Inputs
from validation.harness.plan.trials import TrialInputs
from validation.harness.report import Check, Verdict
from validation.harness.session.answered import Answered
from validation.rewards.answer_cache import AnswerCache, CachedAnswers, UnusableReference
from validation.rewards.question import JudgeReference

ANSWERED = Answered({}, TrialInputs(Inputs([], {}, [])), {}, "cpu")
Make = Callable[..., CachedAnswers]


def a_reference(name: str) -> JudgeReference:
    return JudgeReference(name, WORDS.test_code, WORDS.entry_point)


@pytest.fixture
def references(monkeypatch: pytest.MonkeyPatch) -> Callable[[Make], AnswerCache]:
    def made(make: Make) -> AnswerCache:
        monkeypatch.setattr(AnswerCache, "_make", make)
        return AnswerCache(None, most=100)  # type: ignore[arg-type]

    return made


def test_the_longest_unused_answers_go_first(references: Callable[[Make], AnswerCache]) -> None:
    kept = references(lambda *_: CachedAnswers(ANSWERED, 40))
    for name in ("a", "b", "a", "c", "a"):
        kept.answered(a_reference(name), Options())

    assert (kept.size, kept.hits, kept.misses) == (80, 2, 3)
    kept.answered(a_reference("b"), Options())
    assert kept.misses == 4


def test_answers_larger_than_the_cache_are_used_once(
    references: Callable[[Make], AnswerCache],
) -> None:
    kept = references(lambda *_: CachedAnswers(ANSWERED, 400))

    assert kept.answered(a_reference("a"), Options()) is ANSWERED
    kept.answered(a_reference("b"), Options())
    assert kept.size == 400


@pytest.mark.parametrize(
    ("verdict", "attempts"), [(Verdict.TIMEOUT, 2), (Verdict.CRASHED, 2), (Verdict.ERROR, 1)]
)
def test_a_failure_that_may_pass_is_tried_again(
    references: Callable[[Make], AnswerCache], verdict: Verdict, attempts: int
) -> None:
    kept = references(lambda *_: CachedAnswers(unusable=Check("accuracy", verdict, "no")))

    for _ in range(2):
        with pytest.raises(UnusableReference, match="can't be used: no"):
            kept.answered(a_reference("a"), Options())
    assert kept.misses == attempts
