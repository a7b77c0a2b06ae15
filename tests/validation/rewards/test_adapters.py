"""Adapters: they call the client as TRL, OpenEnv and verifiers call them."""

import asyncio
import inspect
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.validation.rewards.serving import serving
from validation.rewards.answer import RewardAnswer, not_judged
from validation.rewards.client import Client
from validation.rewards.completions import extract_code, fill_missing
from validation.rewards.environment import KernelEnvironment, triton_rubric
from validation.rewards.question import JudgeQuestion
from validation.rewards.trl_reward import triton_reward

ANSWERS = {
    "right": RewardAnswer("passed", 1.0, "8 checks pass"),
    "wrong": RewardAnswer("failed", 0.2, "accuracy: case 0"),
    "fault": not_judged("The reference was not done in time."),
}


def judged(question: JudgeQuestion) -> RewardAnswer:
    return ANSWERS[question.triton_code.strip()]


@pytest.fixture
def client() -> Iterator[Client]:
    with serving(judged) as served:
        yield served.client()


def completion(code: str) -> str:
    return f"Some thoughts.\n```python\n{code}\n```\n"


def as_messages(code: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": completion(code)}]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (completion("a"), "a\n"),
        ("```\na\n```", "a\n"),
        ("```python\na\n```\nBetter:\n```py\nb\n```\n", "b\n"),
        ("```triton title=x\na\n```", "a\n"),
        ("```python\na\n```\n```bash\nls\n```", "a\n"),
        ("```python\nx = '```'\n```", "x = '```'\n"),
        ("```python\na", None),
        ("no code", None),
        ("", None),
        ([], None),
        ([{"role": "assistant", "content": None}], None),
        (as_messages("a"), "a\n"),
        ([{"content": [{"type": "text", "text": completion("a")}]}], "a\n"),
    ],
)
def test_the_last_whole_block_of_python_is_the_kernel(text: Any, code: str | None) -> None:
    assert extract_code(text) == code


def test_trl_gets_a_reward_for_each_completion(client: Client) -> None:
    reward = triton_reward(client)

    rewards = reward(
        prompts=["p"] * 3,
        completions=[completion("right"), as_messages("wrong"), "no code"],
        completion_ids=[[1]] * 3,
        trainer_state=object(),
        pair_id=["words"] * 3,
    )

    assert rewards == [1.0, 0.2, 0.0]
    assert reward.__name__ == "triton_reward"


def test_trl_gets_the_mean_of_the_group_or_none_for_what_was_not_judged(client: Client) -> None:
    texts = {name: ["words"] * 3 for name in ("python_code", "test_code", "entry_point")}
    completions = [completion(code) for code in ("right", "fault", "wrong")]
    given: dict[str, Any] = {"prompts": ["p"] * 3, "completions": completions, **texts}

    assert triton_reward(client)(**given) == [1.0, 0.6, 0.2]
    assert triton_reward(client, fill=False)(**given) == [1.0, None, 0.2]


def test_a_data_set_without_a_reference_is_named(client: Client) -> None:
    with pytest.raises(ValueError, match="neither pair_id nor python_code"):
        triton_reward(client)(prompts=["p"], completions=[completion("right")])


def test_missing_rewards_are_filled_by_group() -> None:
    assert fill_missing([1.0, None, None, 0.5], ["a", "a", "b", "c"]) == [1.0, 1.0, 0.0, 0.5]


def test_an_episode_ends_with_a_right_kernel(client: Client) -> None:
    environment = KernelEnvironment(client, [{"prompt": "Add.", "reference": "words"}])

    first = environment.reset(seed=1, episode_id="one")
    wrong = environment.step(completion("wrong"))
    fault = environment.step(completion("fault"))
    right = environment.step(as_messages("right"))

    assert (first.text, first.done, first.reward) == ("Add.", False, None)
    assert [(each.reward, each.done) for each in (wrong, fault, right)] == [
        (0.2, False), (None, False), (1.0, True),
    ]  # fmt: skip
    assert wrong.text == "accuracy: case 0"
    assert (environment.state.episode_id, environment.state.step_count) == ("one", 2)
    with pytest.raises(RuntimeError, match="reset"):
        environment.step(completion("right"))


def test_an_episode_ends_after_its_steps(client: Client) -> None:
    environment = KernelEnvironment(client, [{"prompt": "p", "reference": "words"}], steps=2)
    environment.reset()

    assert [environment.step(completion("wrong")).done for _ in range(2)] == [False, True]


def test_verifiers_gets_a_group_function_that_loses_no_fault(client: Client) -> None:
    rubric = triton_rubric(client)
    states: list[dict[str, Any]] = [{}, {}, {}]

    asked = rubric(
        prompts=["p"] * 3,
        completions=[as_messages(code) for code in ("right", "fault", "wrong")],
        answers=[""] * 3,
        states=states,
        tasks=["t"] * 3,
        infos=[{"reference": "words"}] * 3,
    )
    # In a thread of its own: a browser's test in this process may have left its loop running.
    with ThreadPoolExecutor(1) as thread:
        rewards = thread.submit(asyncio.run, asked).result()

    assert rewards == [1.0, 0.6, 0.2]
    assert states[1]["triton_answer"]["reward"] is None
    # verifiers knows a group function by the names of its parameters.
    assert {"completions", "infos", "states"} <= set(inspect.signature(rubric).parameters)
