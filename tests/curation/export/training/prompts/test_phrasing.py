"""Three phrasings of a pair's task, and the rules that each must keep."""

import pytest

from curation.export.training.prompts.phrasing import Phrasings, flaws, phrase

FUSED = """\
import torch
import torch.nn.functional as F


def fused(x, bias):
    y = F.gelu(x + bias)
    return torch.softmax(y, dim=-1)
"""
HASH = "ab" * 32


def phrasings(description: str, python: str = FUSED, hashed: str = HASH) -> Phrasings:
    return phrase(
        description=description, python_code=python, entry_point="fused", content_hash=hashed
    )


GOOD = "For each row of a matrix, add `bias`, apply GELU, then apply softmax."


def test_a_pair_has_three_phrasings_that_differ() -> None:
    texts = phrasings(GOOD).texts

    assert len(set(texts)) == 3
    assert not any(a != b and a.startswith(b) for a in texts for b in texts)


@pytest.mark.parametrize("number", range(30))
def test_every_frame_keeps_the_rules(number: int) -> None:
    found = phrasings(GOOD, hashed=f"{number:064x}")

    assert found.from_grammar
    assert len(found.texts) == 3
    for text in found.texts:
        assert GOOD in text
        assert text.endswith(".")
        assert "  " not in text


def test_the_same_content_is_phrased_alike() -> None:
    assert phrasings(GOOD) == phrasings(GOOD)
    assert phrasings(GOOD).choose(HASH) == phrasings(GOOD).choose(HASH)


def test_a_description_of_real_code_by_its_name_gets_the_operations() -> None:
    found = phrasings("Compute `Fused` (softmax), as its test in ada/kernels compares it.")

    for text in found.texts:
        assert "ada/kernels" not in text
        assert "the softmax function `Fused`" in text
        assert "It involves GELU, a softmax and an addition." in text


def test_an_option_that_the_reference_lacks_is_dropped() -> None:
    found = phrasings("Apply GELU and softmax, optionally fusing dropout.")

    assert found.from_grammar
    assert not any("dropout" in text for text in found.texts)


def test_a_function_without_main_operations_gets_its_minor_ones() -> None:
    python = "def fused(x, bias):\n    return x * bias + x\n"

    for text in phrasings("Compute `LigerMHCPre`, from ada/kernels.", python).texts:
        assert "the function `LigerMHCPre`. It involves a multiplication and an addition." in text


@pytest.mark.parametrize(
    "description",
    ["", "Compute it with BLOCK_SIZE columns, GELU and softmax.", f"Apply {'GELU, ' * 70}x."],
    ids=["empty", "internals", "long"],
)
def test_a_description_that_breaks_a_rule_is_used_alone(description: str) -> None:
    assert phrasings(description) == Phrasings((description,), False)


def test_code_that_does_not_parse_keeps_its_description() -> None:
    assert not phrasings(GOOD, python="def fused(x:").from_grammar


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Apply GELU and softmax to `x`.", "input bias"),
        ("Apply GELU, softmax to `x`, `bias` with num_warps=4.", "internal"),
        ("Apply GELU, softmax to `x`, `bias` as `_softmax_kernel`.", "internal"),
        (f"Apply GELU, softmax to `x`, `bias` {'again ' * 60}.", "60 words"),
    ],
)
def test_each_rule_finds_its_flaw(text: str, rule: str) -> None:
    broken = flaws(text, "fused", ("x", "bias"))

    assert len(broken) == 1
    assert rule in broken[0]
