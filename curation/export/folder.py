"""Writing a folder so that it is there whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curation.errors import CurationError


class FolderNotWritten(CurationError):
    """The target can't be written, or holds something that isn't ours."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside `target` that becomes `target` once it is complete."""
    target = target.absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FolderNotWritten(f"{target} is there already and not empty. Name a new folder.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target, so that the last step is one rename within a file system.
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise FolderNotWritten(f"{target} can't be written: {error.strerror}.") from error
    try:
        yield beside
        for path in [*beside.rglob("*"), beside]:
            _sync(path)
        beside.chmod(0o755)
        beside.rename(target)
        _sync(target.parent)
    except OSError as error:
        raise FolderNotWritten(f"{target} can't be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
