"""Database schema: migrated to this code, or refused if it is newer."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from curation.errors import CurationError
from curation.operations import data_folder


class DatabaseUnusable(CurationError):
    """The database can't be reached, or this code can't read it."""


def prepare() -> None:
    """Migrate the embedded SQLite. A database in DATABASE_URL only needs to be reachable."""
    if settings.EMBEDDED_DATABASE:
        data_folder.create(settings.DATA_DIR)
        migrate()
    else:
        if settings.DATA_DIR.exists():
            data_folder.close(settings.DATA_DIR)
        _reach()


def migrate() -> None:
    """Apply missing migrations. Safe to call from several processes at once, quick when done."""
    _reach()
    executor = MigrationExecutor(connection)
    _refuse_newer(executor)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    with _one_at_a_time():
        call_command("migrate", interactive=False, verbosity=0)


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
    # A squashed migration leaves the names of its parts.
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
    """Lock out other processes: two that migrate SQLite at once would both create every table."""
    data_folder.create(settings.DATA_DIR)
    with (settings.DATA_DIR / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
