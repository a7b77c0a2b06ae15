"""The sentence that says what a draft computes."""

from __future__ import annotations

import ast

import pytest

from ingest.drafting.reading.sentences import describe_names, find_sentence
from tests.ingest.drafting.repositories import DOUBLING, whole

TEST = """
def test_doubled():
    x = torch.randn(64, device=device)
    {reference}
    torch.testing.assert_close(doubled(x), expected)
"""


def described(reference: str) -> str:
    python_code = whole(
        TEST.format(reference=reference.replace("\n", "\n    ")), ops__doubling=DOUBLING
    ).texts.python_code
    return next(
        (
            ast.get_docstring(node) or ""
            for node in ast.parse(python_code).body
            if isinstance(node, ast.FunctionDef)
        ),
        "",
    )


def test_the_only_torch_function_of_a_reference_describes_it() -> None:
    assert described("expected = torch.sigmoid(x)") == "Compute the sigmoid of each element."


@pytest.mark.parametrize(
    "reference",
    [
        "expected = torch.zeros(64)\nexpected[:] = x",
        "expected = torch.zeros_like(x) + x",
        "expected = torch.sigmoid(x) * x",
    ],
)
def test_a_part_of_a_reference_does_not_describe_it(reference: str) -> None:
    assert described(reference) == ""


def test_an_operation_without_an_authors_sentence_has_that_of_the_vocabulary() -> None:
    assert describe_names(["logical_or_func"]) == "Compute the logical OR of two tensors."
    assert describe_names(["unheard_of", "ChunkKDAFunction"]) == (
        "Compute Kimi delta attention chunk by chunk."
    )
    assert describe_names(["chunk_gated_delta_rule_bwd"]) == (
        "Compute the gradients of the gated delta rule chunk by chunk."
    )
    assert describe_names(["unheard_of"]) == ""


def test_a_later_sentence_of_a_docstring_may_say_what_is_computed() -> None:
    source = 'def f():\n    """Torch baseline of it.\n\n    Computes the sum. Slowly.\n    """\n'

    assert find_sentence(source) == "Compute the sum."


def test_a_draft_says_what_it_computes_in_both_sides_and_in_the_test() -> None:
    draft = whole(TEST.format(reference="expected = torch.square(x)"))

    assert draft.sentence == "Compute the square of each element."
    for code in (draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code):
        assert f'"""{draft.sentence}"""' in code
