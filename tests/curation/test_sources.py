"""The known sources load once, and again without undoing what an admin changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from curation.models import Repository
from curation.sources.load import SHIPPED, LoadCounts, load_sources

pytestmark = pytest.mark.django_db


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    path = tmp_path / "known.json"
    write(path, {"name": "a/b", "tier": 2, "notes": "ours", "upsampling_weight": "5"})
    return path


def write(path: Path, *entries: dict[str, Any]) -> None:
    path.write_text(json.dumps(entries))


def test_the_shipped_sources_are_valid_rows() -> None:
    load_sources()

    names = set(Repository.objects.values_list("name", flat=True))
    assert {"triton-lang/triton", "pytorch/pytorch", "jax-ml/jax"} <= names
    for repository in Repository.objects.all():
        repository.full_clean()


def test_the_shipped_sources_keep_five_sources_and_four_benchmarks() -> None:
    load_sources()

    assert Repository.objects.sources().filter(tier__lte=2).count() == 7
    assert Repository.objects.benchmarks().count() == 4


def test_loading_twice_changes_no_row() -> None:
    count = len(json.loads(SHIPPED.read_text()))
    assert load_sources() == LoadCounts(added=count, updated=0, kept=0)
    before = list(Repository.objects.order_by("pk").values())

    assert load_sources() == LoadCounts(added=0, updated=0, kept=0)
    assert list(Repository.objects.order_by("pk").values()) == before


def test_a_new_shipped_value_updates_an_unedited_row(shipped: Path) -> None:
    load_sources(shipped)
    write(shipped, {"name": "a/b", "tier": 1, "notes": "better", "upsampling_weight": "7.5"})

    assert load_sources(shipped) == LoadCounts(added=0, updated=1, kept=0)
    row = Repository.objects.get()
    assert (row.tier, row.notes, float(row.upsampling_weight)) == (1, "better", 7.5)


def test_a_value_edited_by_an_admin_is_kept_while_others_are_updated(shipped: Path) -> None:
    load_sources(shipped)
    Repository.objects.update(notes="theirs", upsampling_weight=9)
    write(shipped, {"name": "a/b", "tier": 1, "notes": "better", "upsampling_weight": "5"})

    assert load_sources(shipped) == LoadCounts(added=0, updated=1, kept=1)
    row = Repository.objects.get()
    assert (row.tier, row.notes, float(row.upsampling_weight)) == (1, "theirs", 9.0)


def test_loading_does_not_change_a_source_added_by_an_admin(shipped: Path) -> None:
    Repository.objects.create(name="x/y", url="https://github.com/x/y", notes="theirs")
    load_sources(shipped)

    assert Repository.objects.get(name="x/y").notes == "theirs"


def test_a_newly_shipped_field_replaces_the_default_of_a_row(
    shipped: Path,
) -> None:
    load_sources(shipped)
    entry = {"name": "a/b", "tier": 2, "notes": "ours", "upsampling_weight": "5"}
    write(shipped, entry | {"key_files": ["ops/add.py"]})

    load_sources(shipped)

    assert Repository.objects.get().key_files == ["ops/add.py"]
