"""Requests to the reward service: a reference, a kernel to judge, and the tier.

A request is malformed if the trainer's code is at fault. A kernel is never malformed, because the
policy writes it. A text that can't be a program gets the lowest reward instead.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from validation.harness.entry import Entry
from validation.rewards.answer import RewardAnswer, Tier
from validation.rewards.scale import REJECTED

# Maximum number of characters of a kernel's text.
KERNEL_MOST = 256 << 10
KEYS = frozenset({"reference", "triton_code", "tier"})
TEXTS = ("python_code", "test_code", "entry_point")


class Malformed(Exception):
    """The request can't be served; the message says why."""


@dataclass(frozen=True, slots=True)
class JudgeReference:
    """The reference and the test of a pair, against which kernels are judged."""

    python_code: str
    test_code: str
    entry_point: str
    differentiable: bool = False

    @property
    def key(self) -> str:
        parts = (self.python_code, self.test_code, self.entry_point, str(self.differentiable))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def entry(self, triton_code: str) -> Entry:
        """Return an entry for the harness: this reference with the kernel to judge.

        The entry's origin is empty. So the default policy applies, even if the pair's origin allows
        more.
        """
        return Entry(
            id=self.key[:12],
            python_code=self.python_code,
            triton_code=triton_code,
            test_code=self.test_code,
            entry_point=self.entry_point,
            differentiable=self.differentiable,
        )


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    reference: JudgeReference
    triton_code: str
    tier: Tier


def of_entry(entry: Entry) -> JudgeReference:
    return JudgeReference(
        entry.python_code, entry.test_code, entry.entry_point, entry.differentiable
    )


def read_question(record: Any, known: Mapping[str, JudgeReference]) -> JudgeQuestion:
    """Return the question in a request's JSON, or raise Malformed.

    known: loaded pairs by id.
    """
    if not isinstance(record, dict):
        raise Malformed("A request is a JSON object with reference, triton_code and tier.")
    if unknown := sorted(map(str, record.keys() - KEYS)):
        raise Malformed(f"Unknown key {_short(unknown[0])}. Known: {', '.join(sorted(KEYS))}.")
    code = record.get("triton_code")
    if not isinstance(code, str):
        raise Malformed("triton_code is missing, or no text.")
    tier = record.get("tier", Tier.FULL)
    if not isinstance(tier, str) or tier not in tuple(Tier):
        raise Malformed(f"tier is {' or '.join(Tier)}.")
    return JudgeQuestion(_reference(record.get("reference"), known), code, Tier(tier))


def _reference(given: Any, known: Mapping[str, JudgeReference]) -> JudgeReference:
    if isinstance(given, str):
        if given not in known:
            raise Malformed(f"No loaded entry has the id {_short(given)}.")
        return known[given]
    if not isinstance(given, dict):
        raise Malformed("reference is the id of a loaded entry, or an object with its texts.")
    texts = {name: _text(given, name) for name in TEXTS}
    if not texts["entry_point"].isidentifier():
        raise Malformed("reference.entry_point is no name.")
    return JudgeReference(**texts, differentiable=given.get("differentiable") is True)


def _text(given: Mapping[str, Any], name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not text.strip():
        raise Malformed(f"reference.{name} is missing, or no text.")
    if not _is_whole(text):
        raise Malformed(f"reference.{name} holds half a character.")
    return text


def unreadable(code: str) -> RewardAnswer | None:
    """Return the answer for a text that can't be a program, or None for any other text."""
    if len(code) > KERNEL_MOST:
        return RewardAnswer(
            "error", REJECTED, f"triton_code has more than {KERNEL_MOST:,} characters."
        )
    if not _is_whole(code):
        return RewardAnswer("error", REJECTED, "triton_code holds half a character.")
    return None


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _short(text: str) -> str:
    return ascii(text[:60])
