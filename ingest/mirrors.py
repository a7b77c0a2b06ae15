"""Removal of unused mirrors on this host."""

import logging
import time

from django.conf import settings

from ingest.git.unused import DAY, remove_unused

log = logging.getLogger(__name__)


def remove_unused_mirrors() -> int:
    """Remove the mirrors that exceed MIRROR_DAYS or MIRRORS_BYTES. This is a scheduled task.

    Return the number of removed mirrors.
    """
    mirrors, removed = settings.DATA_DIR / "mirrors", 0
    days, most_bytes = settings.MIRROR_DAYS, settings.MIRRORS_BYTES
    try:
        for mirror in remove_unused(mirrors, days=days, most_bytes=most_bytes):
            removed += 1
            log.info(
                "The mirror %s was removed: %.0f MB, last used %.0f days ago",
                mirror.folder.name, mirror.bytes / 1_000_000, (time.time() - mirror.used_at) / DAY,
            )  # fmt: skip
    except OSError as error:
        log.warning("An unused mirror can't be removed: %s", error)
    return removed
