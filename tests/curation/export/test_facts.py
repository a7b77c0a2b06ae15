"""Rows of an export are read in one snapshot, whatever is written meanwhile."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from curation.errors import CurationError
from curation.export import select
from curation.export.records import RecordBuilder
from curation.models import Kernel, ReleaseMember, SourceFile, Status
from tests.curation.export.writing import export, hashes, manifest, some_rows
from tests.factories import a_source_text, sha

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ALL = ("--format", "torchtune,jsonl,parquet,alpaca,kernelbook")


def test_an_export_reads_one_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some_rows(20, 0)
    read = select._batches

    def read_later(*given: Any) -> Iterator[Any]:
        written = connection.copy()
        with written.cursor() as cursor:
            cursor.execute(f"UPDATE {Kernel._meta.db_table} SET status = 'rejected'")  # noqa: S608
        written.close()
        return read(*given)

    monkeypatch.setattr(select, "_batches", read_later)

    folder = export(tmp_path / "out")

    assert manifest(folder)["records"]["kernels"] == 20
    assert not Kernel.objects.exclude(status=Status.REJECTED).exists()


@pytest.mark.parametrize("unit", ["file", "function"])
def test_releases_of_other_units_are_rebuilt(unit: str, tmp_path: Path) -> None:
    some_rows(20, 20)
    for number, file in enumerate(SourceFile.objects.all()):
        text = f"# {number}\n"
        a_source_text(sha256=sha(text), text=text)
        SourceFile.objects.filter(pk=file.pk).update(sha256=sha(text))

    export(tmp_path / "named", "--unit", unit, *ALL, "--release", "1")

    assert ReleaseMember.objects.count() > 20
    again = hashes(export(tmp_path / "again", "--release", "1"))
    assert again == hashes(tmp_path / "named")


def test_a_write_that_fails_is_a_sentence_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(20, 0)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RecordBuilder, "records", full)

    with pytest.raises(CurationError, match="can't be written: No space left on device"):
        export(tmp_path / "out")

    assert list(tmp_path.iterdir()) == []
