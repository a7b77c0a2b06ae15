"""Pallas kernels leave in files of their own, and kernels of notebooks with their cell."""

import json
from pathlib import Path

import pytest

from curation.models import Language
from tests.curation.export.writing import a_seen_kernel, every, export, hashes, manifest, records

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
FORMATS = ("--format", "torchtune,jsonl,parquet")


def inputs(folder: Path, kind: str) -> list[str]:
    return [record["input"] for found in every(folder, kind).values() for record in found]


def test_pallas_kernels_are_exported_to_their_own_folder(tmp_path: Path) -> None:
    triton, pallas = a_seen_kernel(), a_seen_kernel(language=Language.PALLAS)

    folder = export(tmp_path / "out", *FORMATS)

    assert inputs(folder, "kernels") == [triton.standalone_source]
    assert inputs(folder, "pallas") == [pallas.standalone_source]
    torchtune = [
        record["input"]
        for path in (folder / "triton_functions.json", *folder.glob("torchtune/triton_*.json"))
        for record in json.loads(path.read_text())
    ]
    assert torchtune == [triton.standalone_source]
    assert {path.name for path in (folder / "parquet").iterdir()} >= {"pallas", "kernels"}


def test_manifest_and_card_count_pallas_kernels_separately(tmp_path: Path) -> None:
    a_seen_kernel(tokens=10), a_seen_kernel(language=Language.PALLAS, tokens=7)

    folder = export(tmp_path / "out", *FORMATS)

    assert manifest(folder)["records"] == {"pairs": 0, "kernels": 1, "pallas": 1}
    assert manifest(folder)["tokens"] == {"pairs": 0, "kernels": 10, "pallas": 7}
    card = (folder / "README.md").read_text()
    assert "- config_name: pallas\n" in card
    assert "1 kernel (10 tokens)" in card
    assert "1 kernel in Pallas" in card


def test_an_export_without_pallas_kernels_does_not_mention_pallas(tmp_path: Path) -> None:
    a_seen_kernel()

    folder = export(tmp_path / "out", *FORMATS)

    assert not [path for path in hashes(folder) if "pallas" in path]
    assert "pallas" not in manifest(folder)["records"]
    assert "allas" not in (folder / "README.md").read_text()


def test_a_record_names_the_cell_and_the_url_of_its_notebook(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    kernel.provenances.update(container="notebook", cell=3)
    place = kernel.provenances.get()

    folder = export(tmp_path / "out", "--splits", "100/0/0")

    (record,) = records(folder / "kernels" / "train.jsonl")
    provenance = record["metadata"]["provenance"]
    assert provenance["cell"] == 3
    assert provenance["url"] == place.url
    assert "#" not in provenance["url"]
