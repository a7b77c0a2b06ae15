"""Deletion of the archives of older exports. Those of releases are kept."""

import logging
import re
import time
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from curation.models import ExportRun
from curation.models.runs import ENDED

log = logging.getLogger(__name__)

EVERY_SECONDS = 3600
_NAME = re.compile(r"export-([0-9]{1,18})\.tar\.gz")


_looked = -float("inf")


def remove_old_archives_now_and_then() -> None:
    """Scheduled task: delete old archives once an hour, because a setting may have been lowered."""
    global _looked
    if time.monotonic() - _looked >= EVERY_SECONDS:
        remove_old_archives()
        _looked = time.monotonic()


def remove_old_archives() -> int:
    """Delete the archives on this host beyond the newest `EXPORTS_KEPT`, and return their number.

    Idempotent, and may be killed anywhere: the row is marked before the file is deleted, and the
    next call deletes files of marked rows.
    """
    # Listed before the rows are read: a run that ends in between is newer than all in the list.
    files = _archives(settings.DATA_DIR / "exports")
    if not files or not settings.EXPORTS_KEPT:
        return 0
    written = ExportRun.objects.filter(release=None, archive_removed_at=None).exclude(archive="")
    recent = set(written.order_by("-pk").values_list("pk", flat=True)[: settings.EXPORTS_KEPT])
    # A failed or cancelled run may have left a file that no row names.
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
