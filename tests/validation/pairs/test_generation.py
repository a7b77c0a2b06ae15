"""What is chosen to be generated, and that it is stored once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from curation.models import LicenseVerdict, Pair, PairOrigin
from curation.pairs.draft import PairDraft
from curation.pairs.store import store_pairs
from curation.similarity.structure import structure, structure_signature
from validation.pairs.diversity import TextFamilies, nearest_neighbors, shares_with_neighbor
from validation.pairs.generation import Caps, generate
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.catalog import RECIPES
from validation.pairs.recipes.recipe import Recipe


@cache
def generated(count: int) -> list[PairDraft]:
    """Return so many pairs of all recipes, made once for all tests that only look at them."""
    return generate(RECIPES, count)


@pytest.mark.slow
def test_the_seed_determines_the_generated_pairs() -> None:
    one, same, other = (generate(RECIPES, 100, seed) for seed in (4, 4, 5))

    assert one == same
    assert {draft.content_hash for draft in one} != {draft.content_hash for draft in other}


@pytest.mark.slow
def test_no_two_generated_pairs_are_equal() -> None:
    drafts = generated(300)

    assert len(drafts) == 300
    assert len({draft.content_hash for draft in drafts}) == 300
    assert len({draft.triton_code for draft in drafts}) == 300


@pytest.mark.slow
def test_no_recipe_exceeds_its_share_of_the_generated_pairs() -> None:
    used = Counter(draft.recipe for draft in generate(RECIPES, 300, caps=Caps(recipe_share=0.04)))

    assert max(used.values()) <= 12


@pytest.mark.slow
@pytest.mark.parametrize("cap", [0.0, 0.2, 0.5])
def test_the_share_of_near_duplicates_stays_within_its_cap(cap: float) -> None:
    drafts = generate([_recipe("unary-map")], 120, caps=Caps(near_share=cap))

    assert sum(_are_near_earlier_ones(drafts)) <= cap * len(drafts)
    assert drafts


def test_renamed_variables_and_constants_do_not_hide_a_near_duplicate() -> None:
    (draft,) = generate([_recipe("scan")], 1)
    other = draft.triton_code.replace("BLOCK", "SIZE").replace("4096", "2048")

    assert shares_with_neighbor([draft.triton_code, other]) == {0.7: 1.0, 0.8: 1.0}


@pytest.mark.slow
def test_indexed_neighbors_equal_those_of_brute_force() -> None:
    texts = [structure(draft.triton_code) for draft in generated(60)]
    sets = [set(text.tolist()) for text in texts]

    best = [
        max(len(one & other) / len(one | other) for other in sets if other is not one)
        for one in sets
    ]
    assert nearest_neighbors(texts).tolist() == pytest.approx(best)


def test_a_hundred_pairs_use_nearly_all_recipes_and_many_operation_types() -> None:
    drafts = generated(100)

    assert len({draft.recipe for draft in drafts}) >= 40
    assert len({draft.operation_type for draft in drafts}) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("count", [38, 60, 150])
def test_every_recipe_is_used_once_before_one_is_used_three_times(count: int) -> None:
    seen: Counter[str] = Counter()
    for draft in generated(count):
        assert seen[draft.recipe] < 2 or len(seen) == len(RECIPES)
        seen[draft.recipe] += 1


@pytest.mark.slow
def test_operation_types_and_difficulties_follow_their_weights() -> None:
    drafts = generated(300)

    operations = Counter(draft.operation_type for draft in drafts)
    assert operations["matmul"] > operations["sort"] > 0
    assert operations["element-wise"] < len(drafts) / 5
    difficulties = Counter(draft.difficulty for draft in drafts)
    assert difficulties["hard"] >= len(drafts) / 20
    assert difficulties["medium"] > difficulties["easy"]


def test_an_exhausted_recipe_ends_the_generation() -> None:
    quantize = _recipe("quantize")
    axes = {name: values[:1] for name, values in quantize.axes.items()}
    small = replace(quantize, axes=axes)

    assert len(generate([small], 50)) == 1


@pytest.mark.slow
@pytest.mark.django_db
def test_generate_pairs_reports_similarity_and_stores_pairs_once() -> None:
    first, again = run("--count", "60"), run("--count", "60")

    assert "combinations of" in first
    assert "% have a neighbor of structural similarity 0.7" in first
    assert "matmul" in first
    assert "60 pairs stored, 0 known before." in first
    assert "0 pairs stored, 60 known before." in again
    assert Pair.objects.filter(origin=PairOrigin.TEMPLATE).count() == 60
    assert set(Pair.objects.values_list("license_verdict", flat=True)) == {
        LicenseVerdict.PERMISSIVE
    }


@pytest.mark.slow
@pytest.mark.django_db
def test_a_dry_run_stores_nothing() -> None:
    assert "Nothing stored." in run("--count", "5", "--dry-run")
    assert not Pair.objects.exists()


@pytest.mark.django_db
def test_generation_can_be_limited_to_one_recipe() -> None:
    run("--count", "5", "--recipe", "sort")

    assert set(Pair.objects.values_list("recipe", flat=True)) == {"sort"}


def test_the_recipes_can_be_listed() -> None:
    assert "rotary" in run("--list")


def test_a_count_of_zero_pairs_is_refused() -> None:
    with pytest.raises(CommandError, match="at least 1"):
        run("--count", "0")


@pytest.mark.slow
@pytest.mark.django_db
def test_an_interrupted_storing_of_pairs_is_finished_by_the_next_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("curation.pairs.store.BATCH", 20)
    drafts = generate(RECIPES, 50)

    with pytest.raises(KeyboardInterrupt):
        store_pairs(_interrupted(drafts, after=30))
    assert Pair.objects.count() == 20
    stored = store_pairs(drafts)

    assert (stored.added, stored.known) == (30, 20)
    assert Pair.objects.count() == len(drafts)


@pytest.mark.django_db
def test_loading_the_library_again_stores_no_pair_twice() -> None:
    call_command("load_library", stdout=StringIO())
    out = StringIO()
    call_command("load_library", stdout=out)

    assert "0 pairs stored" in out.getvalue()
    ids = {str(pair) for pair in Pair.objects.filter(origin=PairOrigin.MANUAL)}
    assert ids == {draft.record_id for draft in handwritten()}


def _recipe(name: str) -> Recipe:
    return next(recipe for recipe in RECIPES if recipe.name == name)


def _are_near_earlier_ones(drafts: list[PairDraft]) -> Iterator[bool]:
    families = TextFamilies()
    for draft in drafts:
        text = structure(draft.triton_code)
        family = families.nearest(text, structure_signature(text))
        families.add(text, structure_signature(text), family)
        yield family is not None


def _interrupted(drafts: list[PairDraft], after: int) -> Iterator[PairDraft]:
    yield from drafts[:after]
    raise KeyboardInterrupt


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("generate_pairs", *arguments, stdout=out)
    return out.getvalue()
