"""Completions of a policy: extraction of their code, and the answers to a group of them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from validation.rewards.answer import RewardAnswer
from validation.rewards.client import Client

Completion = str | Sequence[Mapping[str, Any]]
"""A text, or the messages of a conversation. The policy wrote the text or the last message."""

FENCE = re.compile(r"^```[ \t]*(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.M | re.S)
LANGUAGES = ("", "python", "py", "triton")
NO_CODE = RewardAnswer("error", 0.0, "The completion has no block of Python code.")


def extract_code(completion: Completion) -> str | None:
    """Return the last complete Python code block of the completion, or None."""
    blocks = [code for language, code in FENCE.findall(text_of(completion)) if _is_python(language)]
    return blocks[-1] if blocks else None


def text_of(completion: Completion) -> str:
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, list):
        # A message with several parts, as in multimodal chat templates.
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def answers_to(
    client: Client, completions: Sequence[Completion], references: Sequence[Any], tier: str
) -> list[RewardAnswer]:
    """Return the answers in the order of the completions. Completions without code are not sent."""
    codes = [extract_code(completion) for completion in completions]
    requests = [
        {"reference": reference, "triton_code": code, "tier": str(tier)}
        for code, reference in zip(codes, references, strict=True)
        if code is not None
    ]
    judged = iter(client.ask_all(requests))
    return [NO_CODE if code is None else next(judged) for code in codes]


def fill_missing(rewards: Sequence[float | None], groups: Sequence[Any]) -> list[float]:
    """Return the rewards. A missing reward is replaced by the mean reward of its group.

    An advantage is a reward minus the mean of its group. So a completion that was not judged does
    not affect the policy. A group without any reward gets zeros.
    """
    known: dict[str, list[float]] = {}
    for reward, group in zip(rewards, groups, strict=True):
        known.setdefault(repr(group), []).extend([] if reward is None else [reward])
    means = {group: sum(some) / len(some) if some else 0.0 for group, some in known.items()}
    return [
        means[repr(group)] if reward is None else reward
        for reward, group in zip(rewards, groups, strict=True)
    ]


def _is_python(language: str) -> bool:
    return language.lower() in LANGUAGES
