"""The phrasings of the library's pairs, and of some generated ones."""

import pytest

from curation.export.training.prompts.cases import parameters_of
from curation.export.training.prompts.phrasing import flaws, phrase
from curation.pairs.draft import PairDraft
from validation.pairs.generation import generate
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.catalog import RECIPES


@pytest.fixture(scope="module")
def drafts() -> list[PairDraft]:
    return [*handwritten(), *generate(RECIPES, 120, 5)]


@pytest.mark.slow
def test_all_pairs_are_phrased_in_three_ways_that_keep_the_rules(drafts: list[PairDraft]) -> None:
    for draft in drafts:
        found = phrase(
            description=draft.sentence, python_code=draft.python_code,
            entry_point=draft.entry_point, content_hash=draft.content_hash,
        )  # fmt: skip
        assert found.from_grammar, draft.sentence
        assert len(set(found.texts)) == 3
        parameters = parameters_of(draft.python_code, draft.entry_point)
        assert parameters is not None
        for text in found.texts:
            assert flaws(text, draft.entry_point, parameters) == []
            assert not [other for other in found.texts if other != text and other.startswith(text)]
