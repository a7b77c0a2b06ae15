"""Three phrasings of a pair's task: which words they must have, and which they may not."""

import pytest

from curation.export.training.prompts.clauses import (
    VERBS,
    gerund,
    read_task,
    third_person,
)
from curation.export.training.prompts.mentions import required_mentions
from curation.export.training.prompts.phrasing import (
    FAMILIES,
    Call,
    Phrasings,
    filled,
    flaws,
    phrase,
)
from validation.pairs.recipes.operations import BINARY, OUTER, TERNARY
from validation.pairs.recipes.unary import UNARY

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
    call = Call("fused", ("x", "bias"))

    assert found.from_grammar
    for text in found.texts:
        assert flaws(text, call, required_mentions(FUSED, "fused")) == []
        assert "GELU" in text
        assert "softmax" in text


def test_every_frame_has_a_full_stop_or_a_question_mark_and_one_space() -> None:
    task = read_task(GOOD)
    assert task is not None
    for frames in FAMILIES:
        for frame in frames:
            text = filled(frame, task, Call("fused", ("x", "bias")))
            assert text.endswith(".")
            assert "  " not in text
            assert " ," not in text
            assert ".." not in text


def test_the_same_content_is_phrased_alike() -> None:
    assert phrasings(GOOD) == phrasings(GOOD)
    assert phrasings(GOOD).choose(HASH) == phrasings(GOOD).choose(HASH)


def test_an_operation_that_the_description_lacks_is_added() -> None:
    for text in phrasings("Add a bias and apply GELU.").texts:
        assert "GELU. It involves a softmax." in text


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


def test_a_function_that_neither_its_name_nor_its_operations_tell_is_not_phrased() -> None:
    python = "def fused(x, bias):\n    return x * bias + x\n"

    assert not phrasings("Compute `LigerMHCPre`, from ada/kernels.", python).from_grammar
    assert phrasings("Compute `RMSNormForward`, from ada/kernels.", python).from_grammar


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("def fused(x, gate):\n    return x * gate.sin()\n", "`x` by the sine of `gate`"),
        (
            "def fused(packed):\n    return packed[:, 0::2] * packed[:, 1::2].sin()\n",
            "the even features by the sine of the odd features",
        ),
        (
            "def fused(packed):\n    x, gate = packed.chunk(2)\n    return x * gate.sin()\n",
            "one half of the features by the sine of the other half",
        ),
    ],
)
def test_the_halves_of_a_gated_unit_are_named(python: str, words: str) -> None:
    found = phrasings("Multiply one half of the features by the sine of the other half.", python)

    assert found.from_grammar
    assert all(words in text for text in found.texts)


@pytest.mark.parametrize(
    ("start", "words"),
    [("base.clone()", "to `base` at"), ("torch.zeros_like(base)", "the shape of `base`, at")],
)
def test_a_scatter_names_its_base(start: str, words: str) -> None:
    python = (
        f"import torch\n\n\ndef fused(base, index, x):\n    return {start}.index_add(0, index, x)\n"
    )
    found = phrasings("Add rows at the positions that an index selects.", python)

    assert all(words in text for text in found.texts)


@pytest.mark.parametrize(
    "description",
    ["", "Éa", "Compute it with BLOCK_SIZE columns, GELU and softmax.", f"Apply {'GELU, ' * 70}x."],
    ids=["empty", "no verb", "internals", "long"],
)
def test_a_description_that_breaks_a_rule_is_used_alone(description: str) -> None:
    assert phrasings(description) == Phrasings((description,), False)


def test_code_that_does_not_parse_keeps_its_description() -> None:
    assert not phrasings(GOOD, python="def fused(x:").from_grammar


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Apply GELU and softmax to a input `x`, `bias`.", "article"),
        ("Apply GELU and softmax softmax to `x`, `bias`.", "doubled"),
        ("Apply GELU and softmax to `x`.", "input bias"),
        ("Apply GELU to `x`, `bias`.", "softmax"),
        ("Apply GELU, softmax. The input is `x` and `bias`.", "number of inputs"),
        ("Apply GELU, softmax to `x`, `bias` with num_warps=4.", "internal"),
        ("Apply GELU, softmax to `x`, `bias` as `_softmax_kernel`.", "internal"),
    ],
)
def test_each_rule_finds_its_flaw(text: str, rule: str) -> None:
    broken = flaws(text, Call("fused", ("x", "bias")), required_mentions(FUSED, "fused"))

    assert len(broken) == 1
    assert rule in broken[0]


def test_a_description_is_split_at_its_verbs() -> None:
    task = read_task(
        "Along each row of a matrix, negate, clamp to [-1.5, 2], multiply by `a` and add one, "
        "rotate (pairs of features, forward direction), then take the value and the index."
    )

    assert task is not None
    assert task.scope == "along each row of a matrix"
    assert task.clauses == (
        "negate the input",
        "clamp to [-1.5, 2]",
        "multiply by `a` and add one",
        "rotate (pairs of features, forward direction)",
        "take the value and the index",
    )


@pytest.mark.parametrize(
    "clause", ["gate by GELU", "cap softly at 30", "weigh each row", "fold it"]
)
def test_a_clause_begins_at_then(clause: str) -> None:
    task = read_task(f"Look up rows of a table, then {clause}.")

    assert task is not None
    assert task.clauses == ("look up rows of a table", clause)


@pytest.mark.parametrize(
    ("expression", "description"),
    [
        ("30 * torch.tanh(x / 30) + bias", "Cap softly at 30, then add `bias`."),
        ("x.float() @ bias.float()", "Multiply float8 matrices."),
        ("x @ bias.T", "Multiply a float8_e5m2 matrix by the transpose of another."),
        ("torch.logaddexp(x, bias)", "Compute log(exp(x) + exp(bias))."),
    ],
)
def test_an_operation_that_the_description_paraphrases_is_not_added(
    expression: str, description: str
) -> None:
    found = phrasings(
        description, f"import torch\n\n\ndef fused(x, bias):\n    return {expression}\n"
    )

    assert found.from_grammar
    assert not any("involves" in text for text in found.texts)


def test_a_verb_after_and_stays_in_its_clause_and_is_inflected_with_it() -> None:
    task = read_task("Scale the direction of a weight (round and clamp it) and return its norm.")

    assert task is not None
    (clause,) = task.clauses
    assert third_person(clause) == (
        "scales the direction of a weight (round and clamp it) and returns its norm"
    )
    assert third_person("modulate by a scale and a shift") == "modulates by a scale and a shift"


def test_the_phrase_of_each_recipe_operation_begins_with_a_known_verb() -> None:
    phrases = [operation.phrase for operation in (*BINARY, *TERNARY, *OUTER, *UNARY)]

    assert {phrase for phrase in phrases if phrase.split()[0] not in VERBS} == set()


def test_a_first_clause_gets_its_object_and_a_broken_hyphen_is_mended() -> None:
    task = read_task("For each row, multiply by `gate`, apply the log- sigmoid, then divide by 2.")

    assert task is not None
    assert task.clauses == ("multiply the input by `gate`", "apply the log-sigmoid", "divide by 2")


def test_a_sentence_after_a_colon_stands_in_brackets() -> None:
    task = read_task("Apply GEGLU: multiply the GELU of the gate by the value.")

    assert task is not None
    assert task.clauses == ("apply GEGLU (multiplying the GELU of the gate by the value)",)


@pytest.mark.parametrize(
    ("verb", "third", "ing"),
    [
        ("apply", "applies", "applying"),
        ("take", "takes", "taking"),
        ("squash", "squashes", "squashing"),
        ("set", "sets", "setting"),
        ("multiply", "multiplies", "multiplying"),
        ("convolve", "convolves", "convolving"),
    ],
)
def test_verbs_are_inflected(verb: str, third: str, ing: str) -> None:
    assert third_person(f"{verb} it") == f"{third} it"
    assert gerund(f"{verb} it") == f"{ing} it"
