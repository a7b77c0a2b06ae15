"""Reward function for the trainers of TRL. It does not import TRL."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from validation.rewards.answer import Tier
from validation.rewards.client import Client
from validation.rewards.completions import Completion, answers_to, fill_missing

TEXTS = ("python_code", "test_code", "entry_point")


def triton_reward(
    client: Client, *, tier: str = Tier.FULL, fill: bool = True
) -> Callable[..., list[float | None]]:
    """Return a function for `GRPOTrainer(reward_funcs=…)`.

    The data set needs a column `pair_id`, or columns `python_code`, `test_code`, `entry_point`.

    fill: give a completion that was not judged the mean reward of its prompt. Otherwise it gets
    None, which TRL sums as 0 if there is no other reward function.
    """

    def reward(
        prompts: Sequence[Any], completions: Sequence[Completion], **columns: Any
    ) -> list[float | None]:
        answers = answers_to(client, completions, references_of(columns), tier)
        rewards = [answer.reward for answer in answers]
        return [*fill_missing(rewards, prompts)] if fill else rewards

    # TRL logs the function by its name.
    reward.__name__ = "triton_reward"
    return reward


def references_of(columns: Mapping[str, Any]) -> list[Any]:
    """Return the reference of each completion, or raise ValueError."""
    if "pair_id" in columns:
        return list(columns["pair_id"])
    if missing := [name for name in TEXTS if name not in columns]:
        raise ValueError(f"The data set has neither pair_id nor {', '.join(missing)}.")
    rows = zip(*(columns[name] for name in TEXTS), strict=True)
    return [dict(zip(TEXTS, row, strict=True)) for row in rows]
