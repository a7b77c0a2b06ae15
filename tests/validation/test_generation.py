"""What is chosen to be generated, and that it is stored once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from curation.models import LicenseVerdict, Pair, PairOrigin
from curation.pairs.draft import PairDraft
from curation.pairs.store import store_pairs
from validation.diversity import diversity
from validation.generation import Caps, generate
from validation.handwritten import handwritten
from validation.recipes.catalogue import RECIPES
from validation.recipes.recipe import Recipe


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    one, same, other = (generate(RECIPES, 100, seed) for seed in (4, 4, 5))

    assert one == same
    assert {draft.content_hash for draft in one} != {draft.content_hash for draft in other}


def test_no_two_pairs_are_the_same() -> None:
    drafts = generate(RECIPES, 300)

    assert len(drafts) == 300
    assert len({draft.content_hash for draft in drafts}) == 300
    assert len({draft.triton_code for draft in drafts}) == 300


def test_no_recipe_takes_more_than_its_share() -> None:
    used = Counter(draft.recipe for draft in generate(RECIPES, 300, caps=Caps(recipe_share=0.04)))

    assert max(used.values()) <= 12


@pytest.mark.parametrize("cap", [0.0, 0.2, 0.5])
def test_no_more_than_the_cap_are_near_duplicates(cap: float) -> None:
    drafts = generate([_recipe("unary-map")], 120, caps=Caps(near_share=cap))

    seen = diversity([draft.triton_code for draft in drafts])
    assert seen.near_share <= cap
    assert drafts


def test_no_family_outgrows_its_cap() -> None:
    drafts = generate([_recipe("unary-map")], 400, caps=Caps(near_share=0.9, family=3))

    assert diversity([draft.triton_code for draft in drafts]).largest_family <= 3


def test_variants_of_one_recipe_share_a_split_group() -> None:
    drafts = generate(RECIPES, 100)

    assert {draft.split_group for draft in drafts} == {f"recipe:{d.recipe}" for d in drafts}


def test_a_recipe_that_gives_no_more_ends() -> None:
    small = Recipe("small", _recipe("quantise").build, {
        name: values[:1] for name, values in _recipe("quantise").axes.items()
    })  # fmt: skip

    assert len(generate([small], 50)) == 1


@pytest.mark.django_db
def test_the_command_says_how_alike_its_pairs_are_and_stores_them_once() -> None:
    first, again = run("--count", "60"), run("--count", "60")

    assert "combinations of" in first
    assert "% are near-duplicates of another (cap 50%)" in first
    assert "skeletons." in first
    assert "60 pairs stored, 0 known before." in first
    assert "0 pairs stored, 60 known before." in again
    assert Pair.objects.filter(origin=PairOrigin.TEMPLATE).count() == 60
    assert set(Pair.objects.values_list("license_verdict", flat=True)) == {
        LicenseVerdict.PERMISSIVE
    }


@pytest.mark.django_db
def test_a_dry_run_stores_nothing() -> None:
    assert "Nothing stored." in run("--count", "5", "--dry-run")
    assert not Pair.objects.exists()


@pytest.mark.django_db
def test_one_recipe_may_be_asked_for() -> None:
    run("--count", "5", "--recipe", "sort")

    assert set(Pair.objects.values_list("recipe", flat=True)) == {"sort"}


def test_the_recipes_can_be_listed() -> None:
    assert "rotary" in run("--list")


def test_less_than_one_pair_is_refused() -> None:
    with pytest.raises(CommandError, match="at least 1"):
        run("--count", "0")


@pytest.mark.django_db
def test_a_store_that_was_killed_in_the_middle_is_finished_by_the_next(
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
def test_the_library_is_stored_once_and_every_id_says_so() -> None:
    call_command("load_library", stdout=StringIO())
    out = StringIO()
    call_command("load_library", stdout=out)

    assert "0 pairs stored" in out.getvalue()
    ids = {str(pair) for pair in Pair.objects.filter(origin=PairOrigin.MANUAL)}
    assert ids == {draft.record_id for draft in handwritten()}


def _recipe(name: str) -> Recipe:
    return next(recipe for recipe in RECIPES if recipe.name == name)


def _interrupted(drafts: list[PairDraft], after: int) -> Iterator[PairDraft]:
    yield from drafts[:after]
    raise KeyboardInterrupt


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("generate_pairs", *arguments, stdout=out)
    return out.getvalue()
