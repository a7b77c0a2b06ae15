"""Export job for rq: writes one archive into the data folder, or pushes a release to the Hub."""

import hashlib
import logging
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from curation.export.dataset import export as export_dataset
from curation.export.options import ExportOptions
from curation.export.release.push import check_push, push
from curation.export.release.storage import find_release, rebuild
from curation.jobs.attempt import Attempt, LeaseLost, carry_out
from curation.models import ExportRun, Release, RunState
from curation.models.runs import ENDED

WORKING = ".working-"
_NAME = re.compile(r"export-([0-9]{1,18})\.tar\.gz")

log = logging.getLogger(__name__)


def export(run_pk: int) -> None:
    """Carry out an export run. A repeated delivery of the job does not repeat the work."""
    carry_out(ExportRun, run_pk, _export)


def _export(run: ExportRun, attempt: Attempt[ExportRun]) -> None:
    archives = settings.DATA_DIR / "exports"
    archives.mkdir(exist_ok=True)
    _remove_leftovers(archives)
    if run.push_to:
        _push(run, attempt, archives)
        return
    with _working_folder(archives, run) as folder:
        written = folder / (run.name or f"dataset-{run.pk}").replace("/", "-")
        release = Release.objects.filter(name=run.name).first() if run.name else None
        funnel = {}
        if release is not None:
            rebuild(release, written, progress=attempt.tell_later)
        else:
            outcome = export_dataset(
                ExportOptions.from_json(run.options), written,
                name=run.name, user=run.requested_by, progress=attempt.tell_later,
            )  # fmt: skip
            release, funnel = outcome.release, outcome.funnel
        attempt.tell_later("packed", 0)
        packed = pack(written, folder / "archive.tar.gz")
        with packed.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        archive = archives / f"export-{run.pk}.tar.gz"
        attempt.renew()
        packed.rename(archive)
    try:
        attempt.succeed(
            stage="done", archive=archive.name, sha256=digest, funnel=funnel, release=release
        )
    except LeaseLost:
        if ExportRun.objects.filter(pk=run.pk, state=RunState.CANCELLED).exists():
            archive.unlink(missing_ok=True)
        raise
    # The scheduled task deletes archives only on its own host, and this host may be another one.
    remove_old_archives()


def _push(run: ExportRun, attempt: Attempt[ExportRun], archives: Path) -> None:
    """Upload a release. Idempotent: another attempt finds the same files and commits nothing."""
    check_push(run.push_to)
    release = find_release(run.name)
    with _working_folder(archives, run) as folder:
        written = folder / "release"
        rebuild(release, written, progress=attempt.tell_later)
        pushed = push(
            written, run.push_to, message=f"Release {release}", private=run.push_private,
            replace=run.push_replace, progress=attempt.tell_later,
        )  # fmt: skip
    attempt.succeed(stage="done", release=release, pushed_url=pushed.url)


@contextmanager
def _working_folder(archives: Path, run: ExportRun) -> Iterator[Path]:
    prefix = f"{WORKING}{run.pk}-{run.attempt_token}-"
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=archives))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(archives: Path) -> None:
    """Remove the working folders of killed processes on this host."""
    # List folders before reading rows. A run that starts in between has no folder in the list.
    folders = list(archives.glob(f"{WORKING}*"))
    running = ExportRun.objects.filter(state=RunState.RUNNING)
    kept = tuple(
        f"{WORKING}{pk}-{token}-" for pk, token in running.values_list("pk", "attempt_token")
    )
    for folder in folders:
        if not folder.name.startswith(kept):
            shutil.rmtree(folder, ignore_errors=True)


def pack(folder: Path, archive: Path) -> Path:
    """Write one archive that contains no times and user names of this machine.

    The card and its pictures come first, so that a page can show them without reading the records.
    """
    with tarfile.open(archive, "w:gz", compresslevel=6) as tar:
        for path in sorted(folder.rglob("*"), key=partial(_place_in_archive, folder)):
            if path.is_file():
                entry = tar.gettarinfo(path, f"{folder.name}/{path.relative_to(folder)}")
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                entry.mtime = 0
                entry.mode = 0o644
                with path.open("rb") as file:
                    tar.addfile(entry, file)
    return archive


def _place_in_archive(folder: Path, path: Path) -> tuple[bool, Path]:
    return path != folder / "README.md" and path.parent.name != "pictures", path


# --- Retention -------------------------------------------------------------------------------
def remove_old_archives() -> int:
    """Scheduled task: delete archives on this host, except the newest `EXPORTS_KEPT`.

    Return the number of deleted archives. Archives of releases are never deleted or counted.
    Idempotent. If killed, the next call completes the work: a row is marked before its file is
    deleted, and each call deletes the files of marked rows.
    """
    # List files before reading rows. A run that ends in between is newer than all listed files.
    files = _archives(settings.DATA_DIR / "exports")
    if not files or not settings.EXPORTS_KEPT:
        return 0
    written = ExportRun.objects.filter(release=None, archive_removed_at=None).exclude(archive="")
    recent = set(written.order_by("-pk").values_list("pk", flat=True)[: settings.EXPORTS_KEPT])
    # A failed or cancelled run may have left a file although its row names no file.
    rows = ExportRun.objects.filter(pk__among=list(files), release=None, state__in=ENDED)
    old = set(rows.values_list("pk", flat=True)) - recent
    written.filter(pk__among=list(old)).update(archive_removed_at=timezone.now())
    for pk in sorted(old):
        try:
            files[pk].unlink(missing_ok=True)
            log.info("%s was removed: the newest %d stay", files[pk].name, settings.EXPORTS_KEPT)
        except OSError as error:
            log.warning("An old export can't be removed: %s", error)
    return len(old)


def _archives(folder: Path) -> dict[int, Path]:
    if not folder.is_dir():
        return {}
    return {
        int(found[1]): path for path in folder.iterdir() if (found := _NAME.fullmatch(path.name))
    }
