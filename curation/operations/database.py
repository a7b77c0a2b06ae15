"""Database schema: created if absent, and refused if old. Only `up` and `migrate` migrate it."""

import fcntl
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from curation.errors import CurationError
from curation.operations import data_folder

log = logging.getLogger(__name__)

# Name prefix and maximum number of the copies before migrations. A copy may have gigabytes.
COPY, COPIES = "curation-before-migrating-", 3


class DatabaseUnusable(CurationError):
    """The database can't be reached, or this code can't read it."""


def prepare() -> None:
    """Create an absent or empty SQLite. Refuse a database that is older or newer than this code."""
    if settings.EMBEDDED_DATABASE:
        data_folder.create(settings.DATA_DIR)
    elif settings.DATA_DIR.exists():
        data_folder.close(settings.DATA_DIR)
    executor = _executor()
    if not _missing(executor):
        return
    if settings.EMBEDDED_DATABASE:
        with _one_at_a_time():
            executor = _executor()
            if not executor.loader.applied_migrations:
                call_command("migrate", interactive=False, verbosity=0)
                return
    if _missing(executor):
        raise DatabaseUnusable(
            f"The database {connection.settings_dict['NAME']} is older than this code. "
            "Stop everything that uses it, then run manage.py migrate."
        )


def migrate() -> None:
    """Apply missing migrations. Safe to call from several processes at once, quick when done."""
    if _missing(_executor()):
        with _one_at_a_time():
            call_command("migrate", interactive=False, verbosity=0)


def keep_copy(plan: Sequence[tuple[Migration, bool]], using: str, **_: object) -> None:
    """Copy an SQLite database into its folder before a migration, and keep the newest copies.

    Older code can't open a migrated database, but it can open the copy.
    """
    database = connections[using]
    applied = MigrationRecorder(database).applied_migrations()
    if database.vendor != "sqlite" or not plan or not applied:
        return
    folder = Path(database.settings_dict["NAME"]).parent
    path = folder / f"{COPY}{timezone.now():%Y%m%d-%H%M%S-%f}.sqlite3"
    try:
        with closing(sqlite3.connect(path)) as copy:
            database.connection.backup(copy)
    except sqlite3.Error as error:
        path.unlink(missing_ok=True)
        raise DatabaseUnusable(
            f"The database could not be copied to {path} ({error}), so nothing was migrated. "
            "Make room there, then try again."
        ) from error
    log.info("Before migrating, the database was copied to %s.", path)
    for old in sorted(folder.glob(f"{COPY}*.sqlite3"))[:-COPIES]:
        old.unlink()


def _executor() -> MigrationExecutor:
    """Return the state of the database's migrations. Refuse a database of newer code."""
    _reach()
    executor = MigrationExecutor(connection)
    _refuse_newer(executor)
    return executor


def _missing(executor: MigrationExecutor) -> bool:
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _reach() -> None:
    try:
        connection.ensure_connection()
    except OperationalError as error:
        # The driver's message has several lines, some with tabs.
        message = " ".join(str(error).split())
        raise DatabaseUnusable(
            f"The database can't be reached: {message} "
            "Check DATABASE_URL and whether the server runs."
        ) from error


def _refuse_newer(executor: MigrationExecutor) -> None:
    ours = {app.label for app in apps.get_app_configs()}
    unknown = sorted(
        f"{app}.{name}"
        for app, name in executor.loader.applied_migrations
        if app in ours and (app, name) not in executor.loader.disk_migrations
    )
    # The database keeps the names of the migrations that a squashed migration replaces.
    replaced = {
        f"{app}.{name}"
        for migration in executor.loader.disk_migrations.values()
        for app, name in migration.replaces
    }
    unknown = [name for name in unknown if name not in replaced]
    if unknown:
        raise DatabaseUnusable(
            f"The database is newer than this code: it has the migration {unknown[-1]}, which is "
            "unknown here. Update the code, or point CURATION_DATA or DATABASE_URL elsewhere."
        )


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Lock out other processes. If two migrated SQLite at once, both would create every table."""
    data_folder.create(settings.DATA_DIR)
    with (settings.DATA_DIR / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
