"""Facts derived from a pair when it is stored or edited: description, hardware, Triton version."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from curation.decisions.editing import PairTexts, edited
from curation.models import Pair
from curation.pairs.draft import OURS, PairDraft
from curation.pairs.store import store_pairs
from tests.curation.export.writing import export, records
from tests.factories import a_curator, a_license, a_pair, an_approved_pair

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

GATHER = "import triton.language as tl\n\nf = tl.gather\n"
DERIVED = "Add a bias to each element of a vector."
PYTHON = f'def add(x, bias):\n    """{DERIVED}"""\n    return x + bias\n'


def a_draft(**over: Any) -> PairDraft:
    values: dict[str, Any] = {
        "entry_point": "add", "python_code": PYTHON, "triton_code": GATHER, "test_code": "z = 1\n",
        "origin": "template", "operation_type": "element-wise", "difficulty": "easy", **over,
    }  # fmt: skip
    return PairDraft(source=OURS, **values)


def test_a_pair_gets_the_hardware_of_its_draft_and_the_release_of_its_text() -> None:
    draft = a_draft(hardware="hip")
    store_pairs([draft])

    pair = Pair.objects.get()
    assert (pair.hardware, pair.min_triton) == ("hip", "3.3")
    assert draft.as_record()["metadata"]["hardware"] == ["hip"]
    assert draft.as_record()["metadata"]["min_triton"] == "3.3"


def test_a_pair_without_a_description_gets_one_from_its_python_side() -> None:
    store_pairs([a_draft()])

    assert Pair.objects.get().description == DERIVED


@pytest.mark.parametrize(
    ("stored", "after"),
    [("", "Add."), (DERIVED, "Add."), ("A person wrote this.", "A person wrote this.")],
)
def test_storing_a_draft_again_keeps_a_description_by_a_person(stored: str, after: str) -> None:
    store_pairs([a_draft()])
    Pair.objects.update(description=stored)

    store_pairs([a_draft(description="Add.")])

    assert Pair.objects.get().description == after


def test_a_records_metadata_begins_with_its_description(tmp_path: Path) -> None:
    an_approved_pair(license=a_license(), description="Add two vectors.")

    folder = export(tmp_path / "out", "--splits", "100/0/0")

    (record,) = records(folder / "pairs" / "train.jsonl")
    assert next(iter(record["metadata"].items())) == ("description", "Add two vectors.")


def test_a_description_is_shown_and_edited_without_a_new_version(browser: Client) -> None:
    store_pairs([a_draft(description="Add two <vectors>.")])
    pair = Pair.objects.get()
    texts = {name: getattr(pair, name) for name in Pair.SOURCES}

    assert "Add two &lt;vectors&gt;." in browser.get(pair.get_absolute_url()).content.decode()
    browser.post(reverse("save-version", args=[pair.pk]), texts | {"description": "Add  them."})

    pair.refresh_from_db()
    assert pair.description == "Add them."
    assert Pair.objects.count() == 1


@pytest.mark.parametrize(("typed", "kept"), [("", "Add two vectors."), ("Add.", "Add.")])
def test_a_new_version_keeps_hardware_and_description(typed: str, kept: str) -> None:
    pair = a_pair(description="Add two vectors.", hardware="hip", min_triton="3.0")
    texts = PairTexts(pair.python_code, GATHER, pair.test_code)

    version = edited(pair=pair, texts=texts, author=a_curator(), description=typed)

    assert version.description == kept
    assert (version.hardware, version.min_triton) == ("hip", "3.3")
