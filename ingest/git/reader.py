"""Our own empty git directory, through which an object store is read without settings."""

import os
import shutil
import tempfile
from pathlib import Path

from ingest.git.command import Git
from ingest.git.failure import disk_failure, failure
from ingest.git.limits import Deadline
from ingest.git.source import Source


def reader(mirrors: Path, source: Source, deadline: Deadline, object_format: str) -> Path:
    """Return the directory for `object_format` (sha1 or sha256) below `mirrors`, made once."""
    folder = mirrors / f".reader-{object_format}"
    if not folder.is_dir():
        try:
            mirrors.mkdir(parents=True, exist_ok=True)
            _make(folder, source, deadline, object_format)
        except OSError as error:
            raise disk_failure(error, str(source)) from error
    return folder


def _make(folder: Path, source: Source, deadline: Deadline, object_format: str) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        finished = Git(temporary, deadline).run(
            "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}"
        )
        if finished.code != 0:
            raise failure(finished, str(source))
        try:
            os.rename(temporary, folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process made it first
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
