"""Search indexes, created after every migration if they are missing.

Not in a migration: SQLite alters a table by recreating it, which drops its triggers silently.
"""

import logging
from typing import Any

from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

log = logging.getLogger(__name__)

# Searched columns of each table. SQLite's index is named by `words_of`.
SEARCHED = {
    "curation_kernel": ("name", "standalone_source"),
    "curation_pair": ("slug", "python_code", "triton_code"),
}


def words_of(table: str) -> str:
    return f"{table}_words"


def make_indexes(using: str = "default", **_: Any) -> None:
    """Create the missing indexes. Called after migrating; idempotent."""
    connection = connections[using]
    present = connection.introspection.table_names()
    for table, columns in SEARCHED.items():
        if table not in present:
            continue
        if connection.vendor == "sqlite":
            _sqlite(connection, table, columns, words_of(table) in present)
        elif connection.vendor == "postgresql":
            _postgresql(connection, table, columns, using)


def _sqlite(
    connection: BaseDatabaseWrapper, table: str, columns: tuple[str, ...], exists: bool
) -> None:
    words, listed = words_of(table), ", ".join(columns)
    new, old = (", ".join(f"{row}.{column}" for column in columns) for row in ("new", "old"))
    add = f"INSERT INTO {words}(rowid, {listed}) VALUES (new.id, {new});"  # noqa: S608
    remove = (
        f"INSERT INTO {words}({words}, rowid, {listed}) "  # noqa: S608
        f"VALUES ('delete', old.id, {old});"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s",
            [f"{words}_%"],
        )
        if exists and cursor.fetchone()[0] == 3:
            return
        cursor.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {words} USING fts5("
            f"{listed}, content='{table}', content_rowid='id', tokenize='trigram')"
        )
        for event, body in {
            "INSERT": add,
            "DELETE": remove,
            f"UPDATE OF {listed}": remove + add,
        }.items():
            cursor.execute(
                f"CREATE TRIGGER IF NOT EXISTS {words}_{event.split()[0].lower()} "
                f"AFTER {event} ON {table} BEGIN {body} END"
            )
        cursor.execute(f"INSERT INTO {words}({words}) VALUES ('rebuild')")  # noqa: S608


def _postgresql(
    connection: BaseDatabaseWrapper, table: str, columns: tuple[str, ...], using: str
) -> None:
    try:
        with transaction.atomic(using=using), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for column in columns:
                # Django's `icontains` compares in upper case.
                cursor.execute(
                    f"CREATE INDEX IF NOT EXISTS {words_of(table)}_{column} ON {table} "
                    f"USING gin (UPPER({column}) gin_trgm_ops)"
                )
    except DatabaseError as error:
        log.warning(
            "Search in code will be slow: PostgreSQL refused the index (%s). "
            "Have a superuser run CREATE EXTENSION pg_trgm, then run migrate again.",
            str(error).strip(),
        )
