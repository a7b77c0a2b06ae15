"""Marks of the project's own checks, in the code of generated pairs and of real code."""

import pytest

from curation.pairs.marks import mark_in
from validation.pairs.generation import ladder_drafts
from validation.pairs.handwritten import handwritten

FIRST = "configs = CONFIGS if torch.cuda.is_available() else CONFIGS[:1]\n"
OF_AUTHORS = (
    "# NOTE: This does not work in the interpreter (TRITON_INTERPRET=1).\n",
    "pruned_configs = pruned_configs[:1]\n",
    "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
    "# The reference host harness then transposes it.\n",
)


@pytest.mark.parametrize("origin", ["template", "manual", "inductor", "real-world"])
def test_a_first_configuration_without_a_gpu_is_a_mark_in_every_pair(origin: str) -> None:
    assert "is_available() else" in mark_in(f"import torch\n\n{FIRST}", origin)
    assert mark_in("x = 1\nfrom triton_code import add\n", origin) == "from triton_code "
    assert mark_in("x = CONFIGS[1:]  # interpreted as bits\n", origin) == ""


@pytest.mark.parametrize("text", OF_AUTHORS)
def test_what_authors_write_too_is_a_mark_in_generated_pairs_only(text: str) -> None:
    assert mark_in(text, "template")
    assert mark_in(text, "real-world") == ""


def test_no_pair_of_the_library_and_of_the_ladders_has_a_mark() -> None:
    for draft in (*handwritten(), *ladder_drafts()):
        for text in (draft.python_code, draft.triton_code, draft.sentence):
            assert mark_in(text, draft.origin) == ""
