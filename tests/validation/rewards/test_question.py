"""Requests are read as hostile input, and a kernel is never malformed."""

from typing import Any

import pytest
from hypothesis import given, settings

from tests.hostile.strange_json import STRANGE
from tests.validation.rewards.serving import WORDS
from validation.rewards.answer import Tier
from validation.rewards.question import KERNEL_MOST, Malformed, read_question, unreadable

KNOWN = {"words": WORDS}
TEXTS = {"python_code": "p", "test_code": "t", "entry_point": "launch"}


def test_a_reference_is_an_id_or_its_texts() -> None:
    by_id = read_question({"reference": "words", "triton_code": ""}, KNOWN)
    by_text = read_question({"reference": TEXTS, "triton_code": "", "tier": "fast"}, {})

    assert (by_id.reference, by_id.tier) == (WORDS, Tier.FULL)
    assert (by_text.reference.python_code, by_text.tier) == ("p", Tier.FAST)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ([], "JSON object"),
        ({"triton_code": ""}, "reference is the id"),
        ({"reference": "words"}, "triton_code is missing"),
        ({"reference": "unknown", "triton_code": ""}, "'unknown'"),
        ({"reference": "words", "triton_code": "", "tier": "best"}, "tier is fast or full"),
        ({"reference": "words", "triton_code": "", "seed": 1}, "Unknown key 'seed'"),
        ({"reference": {**TEXTS, "test_code": " "}, "triton_code": ""}, "reference.test_code"),
        ({"reference": {**TEXTS, "entry_point": "a b"}, "triton_code": ""}, "no name"),
        ({"reference": {**TEXTS, "python_code": "\ud800"}, "triton_code": ""}, "half a character"),
    ],
)
def test_a_malformed_request_gets_a_sentence(record: Any, words: str) -> None:
    with pytest.raises(Malformed, match=words) as raised:
        read_question(record, KNOWN)
    assert str(raised.value).endswith(".")


@settings(max_examples=40)
@given(STRANGE, STRANGE, STRANGE)
def test_no_json_raises_anything_else(reference: Any, code: Any, tier: Any) -> None:
    for record in (reference, {"reference": reference, "triton_code": code, "tier": tier}):
        try:
            read_question(record, KNOWN)
        except Malformed as malformed:
            assert len(str(malformed)) < 200


@pytest.mark.parametrize("code", ["x" * (KERNEL_MOST + 1), "\ud800"])
def test_a_kernel_that_is_no_program_earns_nothing(code: str) -> None:
    answer = unreadable(code)

    assert answer is not None
    assert (answer.verdict, answer.reward) == ("error", 0.0)


def test_the_origin_of_a_pair_loosens_no_rule() -> None:
    entry = WORDS.entry("code")

    assert entry.origin == ""
