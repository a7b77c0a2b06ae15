"""The one folder that the application writes to. Knows no Django: the settings are built on it."""

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

from curation.errors import CurationError

BASE_DIR = Path(__file__).resolve().parents[2]
DATABASE = "curation.sqlite3"
# The kernel's limit on a unix socket's path is 108 bytes with its closing zero.
LONGEST_SOCKET_PATH = 107


class DataFolderUnusable(CurationError):
    """The data folder can't be made or written to."""


def path() -> Path:
    """Return the folder that `CURATION_DATA` names, or `.data` in the checkout."""
    return Path(os.environ.get("CURATION_DATA") or BASE_DIR / ".data").absolute()


def check_database(advice: str) -> None:
    """Refuse a data folder without a database: its path may be mistyped.

    A database that `DATABASE_URL` names stands elsewhere.
    """
    if os.environ.get("DATABASE_URL") or (path() / DATABASE).exists():
        return
    raise DataFolderUnusable(f"There is no database in {path()}. Check CURATION_DATA, {advice}.")


def create(folder: Path) -> None:
    """Make `folder`, readable by its owner alone, or say why that can't be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataFolderUnusable(
            f"The data folder {folder} can't be written to ({error.strerror}). "
            "Point CURATION_DATA at a folder that this user may write to."
        ) from error


def secret_key(folder: Path) -> str:
    """The signing key of this installation, made at the first start and kept in a 0600 file."""
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
    # Several processes may start at once: each writes a file of its own, the first link wins.
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
    """Where the embedded Redis listens: in `folder`, or for very deep folders in /tmp."""
    inside = folder / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"curation-{os.getuid()}-{name}" / "redis.sock"
