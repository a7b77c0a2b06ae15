"""Environment with OpenEnv's `reset` and `step`, and a rubric function for verifiers.

This module imports neither package. A task is a mapping with `prompt` and `reference`.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from validation.rewards.answer import Tier
from validation.rewards.client import Client
from validation.rewards.completions import Completion, answers_to, fill_missing

Task = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """Text for the policy, with the fields of OpenEnv's Observation.

    reward: None before the first step, and for a kernel that was not judged.
    """

    text: str
    done: bool = False
    reward: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """State of an episode, with the fields of OpenEnv's State."""

    episode_id: str = ""
    step_count: int = 0
    task: Task = field(default_factory=dict)


class KernelEnvironment:
    """Episodes with one task each: the policy proposes kernels until one is right.

    steps: maximum number of proposals in an episode.
    """

    def __init__(
        self, client: Client, tasks: Sequence[Task], *, tier: str = Tier.FULL, steps: int = 4
    ) -> None:
        if not tasks:
            raise ValueError("An environment needs a task.")
        self._client, self._tasks, self._tier, self._steps = client, tasks, tier, steps
        self._state, self._done = State(), True

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> Observation:
        """Begin an episode with a task chosen by the seed."""
        number = secrets.randbelow(1 << 31) if seed is None else seed
        # The generator is not cryptographic, because the choice of a task is no secret.
        task = Random(number).choice(self._tasks)  # noqa: S311
        self._state = State(episode_id or secrets.token_hex(8), 0, task)
        self._done = False
        return Observation(str(task["prompt"]))

    def step(
        self, action: Completion | Any, timeout_s: float | None = None, **_: Any
    ) -> Observation:
        """Judge a proposal: a completion, or an action with a `text`.

        timeout_s: ignored, because the client has a timeout.

        A proposal that was not judged does not count as a step.
        """
        if self._done:
            raise RuntimeError("The episode has ended: call reset first.")
        completion = getattr(action, "text", action)
        reference = self._state.task["reference"]
        (answer,) = answers_to(self._client, [completion], [reference], self._tier)
        self._state.step_count += answer.reward is not None
        self._done = answer.verdict == "passed" or self._state.step_count >= self._steps
        metadata = {"verdict": answer.verdict, "checks": answer.checks, "grades": answer.grades}
        return Observation(answer.message, self._done, answer.reward, metadata)

    @property
    def state(self) -> State:
        return self._state

    def close(self) -> None:
        """Do nothing, because the client has no open connection."""


def triton_rubric(
    client: Client, *, tier: str = Tier.FULL
) -> Callable[..., Coroutine[Any, Any, list[float]]]:
    """Return a group reward function for `vf.Rubric(funcs=[…])`.

    A row's `info` has `reference`. A group function can replace a missing reward by the mean of
    the group. For a single rollout, verifiers would turn a missing reward into 0.
    """

    async def triton_reward(
        completions: list[Completion], infos: list[Task], states: list[Any], **_: Any
    ) -> list[float]:
        references = [info["reference"] for info in infos]
        answers = await asyncio.to_thread(answers_to, client, completions, references, tier)
        for state, answer in zip(states, answers, strict=True):
            state["triton_answer"] = answer.as_dict()
        return fill_missing([answer.reward for answer in answers], references)

    return triton_reward
