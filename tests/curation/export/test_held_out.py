"""The extra configuration of the generated pairs: whole recipes are held out."""

from pathlib import Path

import pytest

from curation.export.held_out import choose_recipes, drop_connected
from tests.curation.export.writing import every, export, identities, manifest, records
from tests.factories import a_license, an_approved_pair, sha

pytestmark = pytest.mark.django_db
OPERATIONS = ("element-wise", "reduction", "softmax", "scan")
HELD_OUT = ("--held-out-recipes", "--splits", "60/20/20")


def some_generated_pairs() -> None:
    mit = a_license()
    for number in range(60):
        recipe = number % 12
        pair = an_approved_pair(
            license=mit, recipe=f"recipe-{recipe}", operation_type=OPERATIONS[recipe % 4]
        )
        # The first pair of each recipe computes the same as the one of the next recipe but five.
        if number < 12:
            pair.fingerprints.update(chain_hash=sha(number % 6))
    an_approved_pair(license=mit, origin="manual")


def test_each_held_out_split_has_several_operation_types_and_train_keeps_half() -> None:
    operations = {f"recipe-{n}": {OPERATIONS[n % 4]: 10 + n} for n in range(20)}

    for seed in range(10):
        chosen = choose_recipes(operations, (90, 5, 5), seed)

        for split in (1, 2):
            held = [name for name, of in chosen.items() if of == split]
            assert len({kind for name in held for kind in operations[name]}) >= 3
        assert len(chosen) <= 10
        assert chosen == choose_recipes(dict(reversed(operations.items())), (90, 5, 5), seed)


def test_no_recipe_is_held_out_with_one_recipe_or_an_empty_split() -> None:
    assert choose_recipes({"map": {"scan": 9}}, (90, 5, 5), 0) == {}
    assert choose_recipes({"map": {"scan": 9}, "sum": {"loss": 9}}, (100, 0, 0), 0) == {}


def test_connected_records_are_kept_only_in_the_last_split() -> None:
    assert drop_connected([0, 1, 2, 0, 1, 0], [7, 7, 7, 8, 8, 9]) == [
        True, True, False, True, False, False,
    ]  # fmt: skip


def test_no_recipe_or_operation_chain_is_in_two_splits(tmp_path: Path) -> None:
    some_generated_pairs()

    folder = export(tmp_path / "out", *HELD_OUT)

    splits = every(folder, "held_out_recipes")
    recipes = {name: {r["metadata"]["recipe"] for r in found} for name, found in splits.items()}
    assert all(recipes.values())
    assert not recipes["train"] & (recipes["validation"] | recipes["test"])
    assert not recipes["validation"] & recipes["test"]
    told = manifest(folder)["held_out_recipes"]
    assert told["recipes"] == {n: sorted(recipes[n]) for n in ("validation", "test")}
    dropped = records(folder / "held_out_recipes" / "dropped.jsonl")
    assert len(dropped) == sum(told["dropped"].values()) > 0
    written = {record["id"] for found in splits.values() for record in found}
    generated = {
        record["id"]
        for found in every(folder, "pairs").values()
        for record in found
        if record["metadata"]["recipe"]
    }
    assert written | {line["id"] for line in dropped} == generated
    assert not written & {line["id"] for line in dropped}


def test_records_repeated_in_train_appear_once_in_held_out_recipes(tmp_path: Path) -> None:
    some_generated_pairs()

    folder = export(tmp_path / "out", *HELD_OUT, "--upsample", "template=3", "--repeat-rows")

    found = [r["id"] for of_split in every(folder, "held_out_recipes").values() for r in of_split]
    assert len(found) == len(set(found))
    assert len(identities(folder, "pairs")) == 61
