"""The judge in the interpreter, with two pairs of the library, behind a real server."""

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.hostile.test_validation_killed import descendants
from tests.validation.rewards.serving import Served, library_pair, serving
from tests.waiting import wait_for
from validation.harness.pool.worker_pool import WorkerPool
from validation.rewards.answer import RewardAnswer, Tier
from validation.rewards.judge import RewardJudge
from validation.rewards.load import Load
from validation.rewards.question import JudgeQuestion, JudgeReference

ADD, ADD_KERNEL = library_pair("add")
SUM, SUM_KERNEL = library_pair("sum-whole")
BY_TORCH = "import torch\n\n\ndef add(x, y):\n    return torch.add(x, y)\n"
WRONG = ADD_KERNEL.replace("x + y, mask", "x - y, mask")
# Right for each size that the test shows, and for no other.
SHOWN_ONLY = ADD_KERNEL.replace(
    "    add_kernel[grid](",
    "    if n_elements not in (1, 127, 1000, 4096, 10007):\n        return out\n"
    "    add_kernel[grid](",
)
SLEEPS = "import time\n\ntime.sleep(60)\n"


@pytest.fixture(scope="module")
def judge(pool: WorkerPool) -> RewardJudge:
    return RewardJudge(pool)


@pytest.fixture(scope="module")
def served(judge: RewardJudge) -> Iterator[Served]:
    with serving(judge.answer, known={"add": ADD, "sum": SUM}) as made:
        yield made


def test_only_right_kernels_earn_the_full_reward(served: Served) -> None:
    expected = [
        ("add", ADD_KERNEL, Tier.FULL, "passed", 1.0),
        ("add", SHOWN_ONLY, Tier.FULL, "failed", 0.2),
        ("add", SHOWN_ONLY, Tier.FAST, "passed", 0.5),
        ("add", WRONG, Tier.FAST, "failed", 0.2),
        ("add", BY_TORCH, Tier.FAST, "not_triton", 0.0),
        ("add", "nonsense(", Tier.FAST, "error", 0.0),
        ("sum", SUM_KERNEL, Tier.FAST, "passed", 0.5),
        ("sum", ADD_KERNEL, Tier.FAST, "error", 0.0),
    ]
    requests = [
        {"reference": pair, "triton_code": code, "tier": str(tier)}
        for pair, code, tier, _, _ in expected
    ]

    answers = served.client(batch=8).ask_all(requests)

    seen = [(answer.verdict, answer.reward) for answer in answers]
    assert seen == [(verdict, reward) for *_, verdict, reward in expected]
    hidden = answers[1]
    assert hidden.message == (
        "variations: wrong or refused on hidden inputs: other values, seeds or sizes"
    )
    assert all(answer.seconds > 0 for answer in answers)


def test_a_reference_is_answered_once_for_a_group(judge: RewardJudge) -> None:
    before = judge.references.misses

    for code in (ADD_KERNEL, WRONG, BY_TORCH):
        judge.answer(JudgeQuestion(ADD, code, Tier.FAST))

    assert judge.references.misses - before <= 1
    assert judge.references.size > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (
            replace(ADD, python_code="def add(x, y):\n    raise ValueError('no')\n"),
            "reference raises",
        ),
        (replace(ADD, test_code="import nothing_of_this_name\n"), "nothing_of_this_name"),
    ],
)
def test_a_broken_reference_costs_no_kernel_its_reward(
    judge: RewardJudge, broken: JudgeReference, words: str
) -> None:
    answer = judge.answer(JudgeQuestion(broken, ADD_KERNEL, Tier.FAST))

    assert (answer.verdict, answer.reward) == (None, None)
    assert answer.message.startswith("The reference can't be used: ")
    assert words in answer.message


@pytest.mark.slow
def test_a_kernel_whose_process_is_killed_from_outside_runs_again(judge: RewardJudge) -> None:
    judge.answer(JudgeQuestion(ADD, ADD_KERNEL, Tier.FAST))
    slow = f"import time\n\ntime.sleep(1.5)\n{ADD_KERNEL}"
    answers: list[RewardAnswer] = []
    before = set(descendants(os.getpid()))
    thread = threading.Thread(
        target=lambda: answers.append(judge.answer(JudgeQuestion(ADD, slow, Tier.FAST)))
    )
    thread.start()

    victims = wait_for("it runs", lambda: set(descendants(os.getpid())) - before)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)

    thread.join(60)
    assert [(answer.verdict, answer.reward) for answer in answers] == [("passed", 0.5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("is_full", "of_others", "verdict", "reward", "attempts"),
    [
        (True, 0.1, "timeout", 0.0, 2),
        (True, 0.9, None, None, 2),
        (False, 0.0, "timeout", 0.0, 1),
    ],
)
def test_a_timeout_is_excused_only_if_other_programs_had_the_processors(
    judge: RewardJudge, monkeypatch: pytest.MonkeyPatch,
    is_full: bool, of_others: float, verdict: str | None, reward: float | None, attempts: int,
) -> None:  # fmt: skip
    judge.answer(JudgeQuestion(ADD, ADD_KERNEL, Tier.FAST))
    short = replace(judge._options[Tier.FAST], timeout=0.3)
    monkeypatch.setitem(judge._options, Tier.FAST, short)
    monkeypatch.setattr(Load, "is_full", lambda _: is_full)
    monkeypatch.setattr(Load, "of_others", lambda _: of_others)
    before = judge.references.hits

    answer = judge.answer(JudgeQuestion(ADD, SLEEPS, Tier.FAST))

    assert (answer.verdict, answer.reward) == (verdict, reward)
    assert judge.references.hits - before == attempts
