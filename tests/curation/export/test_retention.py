"""Archives of older exports make room; those of releases stay."""

import logging
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curation.export.jobs import remove_old_archives
from curation.export.options import ExportOptions
from curation.models import ExportRun, RunState
from tests.factories import a_curator, a_release, an_export_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def exports(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.EXPORTS_KEPT = 2
    (tmp_path / "exports").mkdir()
    return tmp_path / "exports"


def written(exports: Path, **over: Any) -> ExportRun:
    run = an_export_run(**{"state": RunState.SUCCEEDED, "finished_at": timezone.now()} | over)
    file = exports / f"export-{run.pk}.tar.gz"
    file.write_bytes(b"an archive")
    if run.state == RunState.SUCCEEDED:
        ExportRun.objects.filter(pk=run.pk).update(archive=file.name)
    return run


def there(exports: Path) -> set[int]:
    return {int(path.name[7:-7]) for path in exports.glob("export-*.tar.gz")}


def test_retention_keeps_the_newest_archives_and_those_of_releases(
    exports: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release = written(exports, name="1", release=a_release(name="1"))
    old = [written(exports) for _ in range(3)]
    new = [written(exports) for _ in range(2)]
    (exports / "notes.txt").touch()

    with caplog.at_level(logging.INFO):
        assert remove_old_archives() == 3

    assert there(exports) == {run.pk for run in [release, *new]}
    assert (exports / "notes.txt").exists()
    removed = ExportRun.objects.exclude(archive_removed_at=None)
    assert {run.pk for run in removed} == {run.pk for run in old}
    assert f"export-{old[0].pk}.tar.gz was removed" in caplog.text
    assert remove_old_archives() == 0


def test_a_removal_that_was_killed_is_completed(exports: Path) -> None:
    first, *_ = [written(exports) for _ in range(3)]
    # The row was written, the file was still there.
    since = timezone.now()
    ExportRun.objects.filter(pk=first.pk).update(archive_removed_at=since)

    assert remove_old_archives() == 1

    assert first.pk not in there(exports)
    first.refresh_from_db()
    assert first.archive_removed_at == since


def test_retention_keeps_the_file_of_a_live_run_but_not_of_a_failed_run(exports: Path) -> None:
    live = written(exports, state=RunState.QUEUED, finished_at=None)
    failed = written(exports, state=RunState.FAILED)
    newer = [written(exports) for _ in range(2)]

    remove_old_archives()

    assert there(exports) == {live.pk, *(run.pk for run in newer)}
    failed.refresh_from_db()
    assert failed.archive_removed_at is None


def test_archives_on_another_host_are_not_touched(exports: Path) -> None:
    elsewhere = written(exports)
    (exports / f"export-{elsewhere.pk}.tar.gz").unlink()
    here = [written(exports) for _ in range(2)]

    assert remove_old_archives() == 0

    assert there(exports) == {run.pk for run in here}
    elsewhere.refresh_from_db()
    assert elsewhere.archive_removed_at is None


def test_a_retention_of_zero_keeps_all_archives(exports: Path, settings: Any) -> None:
    settings.EXPORTS_KEPT = 0
    runs = [written(exports) for _ in range(3)]

    assert remove_old_archives() == 0
    assert len(there(exports)) == len(runs)


def test_a_removed_archive_is_dated_and_can_be_exported_again(
    client: Client, exports: Path
) -> None:
    client.force_login(a_curator())
    options = ExportOptions(seed=3).as_json()
    run, *_ = [written(exports, options=options) for _ in range(3)]
    remove_old_archives()
    today = timezone.now().strftime("%Y-%m-%d")

    assert f"Removed on {today}" in client.get("/exports/").content.decode()
    download = client.get(f"/exports/{run.pk}/download", follow=True)
    page = download.content.decode()
    assert f"export-{run.pk}.tar.gz was removed on {today}; export it again." in page
    assert "Export again" in page
    client.post(f"/runs/export/{run.pk}/retry")

    again = ExportRun.objects.get(retry_of=run)
    assert (again.state, again.options) == (RunState.QUEUED, options)
