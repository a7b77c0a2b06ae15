"""An empty git directory of our own, through which any object store is read with no settings."""

import os
import shutil
import tempfile
from pathlib import Path

from ingest.git.command import Git
from ingest.git.failure import disk_failure, failure
from ingest.git.limits import Deadline
from ingest.git.source import Source


def reader(mirrors: Path, source: Source, deadline: Deadline, object_format: str) -> Path:
    """The directory for `object_format` (sha1 or sha256) below `mirrors`, made once for all."""
    folder = mirrors / f".reader-{object_format}"
    if not folder.is_dir():
        try:
            mirrors.mkdir(parents=True, exist_ok=True)
            _make(folder, source, deadline, object_format)
        except OSError as error:
            raise disk_failure(error, str(source)) from error
    return folder


def _make(folder: Path, source: Source, deadline: Deadline, object_format: str) -> None:
    made = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        done = Git(made, deadline).run(
            "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}"
        )
        if done.code != 0:
            raise failure(done, str(source))
        try:
            os.rename(made, folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was first, and its one is as good
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
