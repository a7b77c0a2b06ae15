"""The data folder, the only one the application writes to. Independent of Django settings."""

import hashlib
import logging
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

from curation.errors import CurationError

log = logging.getLogger(__name__)

BASE_DIR = Path(__file__).resolve().parents[2]
DATABASE = "curation.sqlite3"
# The kernel's limit on a unix socket's path is 108 bytes with its closing zero.
LONGEST_SOCKET_PATH = 107
# Mode bits that grant access to users other than a file's owner.
OTHERS = 0o077
# Folders that the application creates in the data folder.
FOLDERS = frozenset({"exports", "mirrors", "redis", "scancode", "static"})


class DataFolderUnusable(CurationError):
    """The data folder can't be created or written to."""


def path() -> Path:
    """Return the folder that `CURATION_DATA` names, or `.data` in the checkout."""
    return Path(os.environ.get("CURATION_DATA") or BASE_DIR / ".data").absolute()


def check_database(advice: str) -> None:
    """Refuse a data folder without a database, because its path may be mistyped.

    Not applicable with `DATABASE_URL`.
    """
    if os.environ.get("DATABASE_URL") or (path() / DATABASE).exists():
        return
    raise DataFolderUnusable(f"There is no database in {path()}. Check CURATION_DATA, {advice}.")


def create(folder: Path) -> None:
    """Create `folder`, readable by its owner only. Raise DataFolderUnusable if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        close(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataFolderUnusable(
            f"The data folder {folder} can't be written to ({error.strerror}). "
            "Point CURATION_DATA at a folder that this user may write to."
        ) from error


def close(folder: Path) -> bool:
    """Remove all rights of other users on `folder`, or warn that they remain.

    The database holds password hashes and session keys.
    """
    mode = stat.S_IMODE(folder.stat().st_mode)
    if not mode & OTHERS:
        return True
    try:
        problem = _shared_with(folder)
        if not problem:
            folder.chmod(mode & ~OTHERS)
            if not folder.stat().st_mode & OTHERS:
                return True
            problem = "its file system keeps no permissions"
    except OSError as error:
        problem = f"{error.strerror} for user {os.geteuid()}"
    log.warning(
        "The data folder %s is open to other users of this machine (mode %o) and stays so: %s. "
        "Let its owner run chmod 700 on it, or point CURATION_DATA at a folder of its own.",
        folder, mode, problem,
    )  # fmt: skip
    return False


def _shared_with(folder: Path) -> str:
    """Return the name of a foreign folder inside `folder`, or "".

    CURATION_DATA may name /tmp, a home or /srv. Removing rights there would break other programs.
    """
    with os.scandir(folder) as entries:
        names = (entry.name for entry in entries if entry.is_dir() and entry.name not in FOLDERS)
        foreign = next(names, "")
    return f"it also holds {foreign}, which is not of this application" if foreign else ""


def free_space(folder: Path) -> tuple[int, float] | None:
    """Return the free bytes of the folder's disk and their percentage, or None if it is missing."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    return usage.free, 100 * usage.free / usage.total


def secret_key(folder: Path) -> str:
    """Return the installation's signing key, created at the first start in a 0600 file."""
    path = folder / "secret_key"
    try:
        return path.read_text()
    except (FileNotFoundError, NotADirectoryError):
        create(folder)
    except OSError as error:
        raise DataFolderUnusable(
            f"The secret key {path} can't be read ({error.strerror}). "
            "Run as the user that owns the data folder, or set SECRET_KEY."
        ) from error
    # Several processes may start at once. Each writes a temporary file, but only one can link it.
    with tempfile.NamedTemporaryFile("w", dir=folder) as fresh:
        fresh.write(secrets.token_urlsafe(50))
        fresh.flush()
        os.fsync(fresh.fileno())
        try:
            os.link(fresh.name, path)
        except FileExistsError:
            pass
        except OSError as error:
            raise DataFolderUnusable(
                f"The secret key {path} can't be written ({error.strerror}). Set SECRET_KEY."
            ) from error
    return path.read_text()


def redis_socket(folder: Path) -> Path:
    """Return the socket of the embedded Redis: in `folder`, or in /tmp for very long paths."""
    inside = folder / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"curation-{os.getuid()}-{name}" / "redis.sock"
