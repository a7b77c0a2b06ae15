"""Named snapshots: written again byte for byte, compared, and marked when a record is withdrawn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection

from curation.errors import CurationError
from curation.export import select
from curation.export.options import ExportOptions
from curation.export.release.changes import mark_withdrawn
from curation.export.requests import request_export
from curation.models import (
    Decision,
    Kernel,
    LicenseVerdict,
    Pair,
    Provenance,
    Release,
    ReleaseFile,
    Repository,
    Status,
    Withdrawal,
)
from tests.curation.export.writing import a_seen_kernel, export, hashes, manifest, some_rows
from tests.factories import a_curator, a_dispute, a_license, an_approved_kernel
from tests.probes import output_of

pytestmark = pytest.mark.django_db
ALL = ("--format", "torchtune,jsonl,parquet,alpaca,kernelbook")


def diff(old: str, new: str) -> list[str]:
    return output_of("diff_releases", old, new).splitlines()


def test_a_release_is_reproduced_after_any_later_change(tmp_path: Path) -> None:
    some_rows(12, 12)
    before = hashes(export(tmp_path / "one", "--release", "2026.11", *ALL, "--upsample", "source"))
    Repository.objects.update(stars=9000, upsampling_weight=9, name="moved/away")
    Kernel.objects.update(status=Status.REJECTED, tags=["new"], operation_type="scan")
    Pair.objects.update(license_verdict=LicenseVerdict.BLOCKED)
    Provenance.objects.update(copyrights=["Copyright Eve"], opted_out=True)
    an_approved_kernel()

    after = hashes(export(tmp_path / "two", "--release", "2026.11"))

    assert after == before


def test_a_release_is_reproduced_during_a_dispute_about_its_records(tmp_path: Path) -> None:
    some_rows(4, 2)
    before = hashes(export(tmp_path / "one", "--release", "1", *ALL))
    for decision in Decision.objects.all():
        a_dispute(first=decision)

    assert hashes(export(tmp_path / "two", "--release", "1")) == before
    assert mark_withdrawn() == 0


def test_a_release_can_not_be_exported_with_other_options(tmp_path: Path) -> None:
    some_rows(2, 0)
    export(tmp_path / "one", "--release", "1", "--seed", "3")

    with pytest.raises(CommandError, match="made with another seed"):
        export(tmp_path / "two", "--release", "1", "--seed", "4")
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize(
    ("option", "asked"), [("hardware", ("--hardware", "cuda")), ("include_disputed", ())]
)
def test_a_release_older_than_an_option_is_reproduced(
    option: str, asked: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(2, 1)
    as_json = ExportOptions.as_json

    def without_option(options: ExportOptions) -> dict[str, Any]:
        return {name: value for name, value in as_json(options).items() if name != option}

    with monkeypatch.context() as patch:
        patch.setattr(ExportOptions, "as_json", without_option)
        before = hashes(export(tmp_path / "one", "--release", "1"))

    assert option not in Release.objects.get().options
    assert hashes(export(tmp_path / "two", "--release", "1", *asked)) == before
    default = {option: ExportOptions().as_json()[option]}
    run = request_export(Release.objects.get().options | default, name="1", user=a_curator())
    assert run.name == "1"


def test_an_empty_release_is_refused_and_its_name_stays_free(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="0.1 is not a release: it would be empty"):
        export(tmp_path / "one", "--release", "0.1")
    assert not (tmp_path / "one").exists()

    some_rows(1, 0)
    export(tmp_path / "one", "--release", "0.1")
    assert Release.objects.get().name == "0.1"


def test_a_release_that_lacks_a_file_is_not_written(tmp_path: Path) -> None:
    some_rows(2, 0)
    export(tmp_path / "one", "--release", "1")
    ReleaseFile.objects.filter(path="kernels/train.jsonl")._raw_delete("default")

    with pytest.raises(CurationError, match="does not hold kernels/train.jsonl"):
        export(tmp_path / "two", "--release", "1")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_release_diff_lists_added_removed_and_changed_records(tmp_path: Path) -> None:
    mit = a_license(expression="MIT")
    kept, goes, old, relabelled = (an_approved_kernel(license=mit) for _ in range(4))
    export(tmp_path / "a", "--release", "A", "--splits", "100/0/0")
    Kernel.objects.filter(pk=goes.pk).update(license_verdict=LicenseVerdict.BLOCKED)
    Kernel.objects.filter(pk=relabelled.pk).update(operation_type="scan")
    Kernel.objects.filter(pk=old.pk).update(status=Status.RETIRED)
    new = an_approved_kernel(license=mit, previous=old)
    added = an_approved_kernel(license=mit)
    export(tmp_path / "b", "--release", "B", "--splits", "100/0/0")

    lines = diff("A", "B")

    def named(kernel: Kernel) -> str:
        return f"{kernel.name.replace('_', '-')}-{kernel.content_hash[:12]}"

    assert f"- {named(goes)}: Its license is blocked: MIT." in lines
    assert f"+ {named(added)}: A did not know it" in lines
    assert f"~ {named(new)} (was {named(old)}): another version of it" in lines
    assert f'~ {named(relabelled)}: operation_type "other" → "scan"' in lines
    assert not any(named(kept) in line for line in lines)
    assert lines[-2:] == ["1 added, 1 removed, 2 changed.", "A holds 1 withdrawn record."]


def test_an_unknown_release_is_refused_with_the_list_of_releases() -> None:
    with pytest.raises(CurationError, match="There is no release 'x'. No release was made yet"):
        diff("x", "y")


def test_a_withdrawn_record_marks_its_releases(tmp_path: Path) -> None:
    opted_out, relicensed, gone, fine = (a_seen_kernel() for _ in range(4))
    export(tmp_path / "a", "--release", "A")
    export(tmp_path / "b", "--release", "B")
    assert mark_withdrawn() == 0
    opted_out.provenances.update(opted_out=True)
    Kernel.objects.filter(pk=relicensed.pk).update(license_verdict=LicenseVerdict.UNKNOWN)
    Kernel.objects.filter(pk=gone.pk).update(status=Status.RETIRED)

    assert mark_withdrawn() == 4
    assert mark_withdrawn() == 0

    marked = Withdrawal.objects.values_list("member__release__name", "member__kernel", "reason")
    assert set(marked) == {
        (release, kernel.pk, reason)
        for release in "AB"
        for kernel, reason in ((opted_out, "opted-out"), (relicensed, "license"))
    }
    assert fine.pk not in {kernel for _, kernel, _ in marked}


def test_a_failed_export_creates_no_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(2, 0)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("curation.export.dataset.write_manifest", full)
    with pytest.raises(CurationError, match="No space left on device"):
        export(tmp_path / "out", "--release", "1")

    assert not Release.objects.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
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
