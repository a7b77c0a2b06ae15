"""Search indexes, created after every migration if they are missing.

They are in no migration, because SQLite alters a table by recreating it, which drops its triggers.
"""

import logging
from typing import Any

from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

log = logging.getLogger(__name__)

# Searched columns of each table, besides its tags. `words_of` names SQLite's search index.
SEARCHED = {
    "curation_kernel": ("name", "standalone_source"),
    "curation_pair": ("slug", "python_code", "triton_code"),
}


def words_of(table: str) -> str:
    return f"{table}_words"


def make_indexes(using: str = "default", **_: Any) -> None:
    """Create the missing indexes of texts and tags. Called after migrations. Idempotent."""
    connection = connections[using]
    present = connection.introspection.table_names()
    for table, columns in SEARCHED.items():
        if table not in present:
            continue
        if connection.vendor == "sqlite":
            _sqlite_words(connection, table, columns)
            _sqlite_tags(connection, table)
        elif connection.vendor == "postgresql":
            _postgresql(connection, table, columns, using)


def _sqlite_words(connection: BaseDatabaseWrapper, table: str, columns: tuple[str, ...]) -> None:
    words, listed = words_of(table), ", ".join(columns)
    new, old = (", ".join(f"{row}.{column}" for column in columns) for row in ("new", "old"))
    _keep_by_triggers(
        connection, table, words, listed,
        create=[
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {words} USING fts5("
            f"{listed}, content='{table}', content_rowid='id', tokenize='trigram')"
        ],
        add=f"INSERT INTO {words}(rowid, {listed}) VALUES (new.id, {new});",  # noqa: S608
        remove=f"INSERT INTO {words}({words}, rowid, {listed}) "  # noqa: S608
        f"VALUES ('delete', old.id, {old});",
        fill=[f"INSERT INTO {words}({words}) VALUES ('rebuild')"],  # noqa: S608
    )  # fmt: skip


def _sqlite_tags(connection: BaseDatabaseWrapper, table: str) -> None:
    tags = f"{table}_tags"
    _keep_by_triggers(
        connection, table, tags, "tags",
        create=[
            f"CREATE TABLE IF NOT EXISTS {tags} "
            "(tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) WITHOUT ROWID",
            f"CREATE INDEX IF NOT EXISTS {tags}_by_item ON {tags} (id)",
        ],
        add=f"INSERT OR IGNORE INTO {tags} "  # noqa: S608
        "SELECT value, new.id FROM json_each(new.tags) WHERE type = 'text';",
        remove=f"DELETE FROM {tags} WHERE id = old.id;",  # noqa: S608
        fill=[
            f"DELETE FROM {tags}",  # noqa: S608
            f"INSERT OR IGNORE INTO {tags} SELECT each.value, {table}.id "  # noqa: S608
            f"FROM {table}, json_each({table}.tags) AS each WHERE each.type = 'text'",
        ],
    )  # fmt: skip


def _keep_by_triggers(
    connection: BaseDatabaseWrapper,
    table: str,
    index: str,
    columns: str,
    *,
    create: list[str],
    add: str,
    remove: str,
    fill: list[str],
) -> None:
    """Create and fill a table, and triggers that keep it up to date, unless all of them exist."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s",
            [f"{index}_%"],
        )
        if cursor.fetchone()[0] == 3:
            return
        events = {"INSERT": add, "DELETE": remove, f"UPDATE OF {columns}": remove + add}
        triggers = [
            f"CREATE TRIGGER IF NOT EXISTS {index}_{event.split()[0].lower()} "
            f"AFTER {event} ON {table} BEGIN {body} END"
            for event, body in events.items()
        ]
        for statement in (*create, *triggers, *fill):
            cursor.execute(statement)


def _postgresql(
    connection: BaseDatabaseWrapper, table: str, columns: tuple[str, ...], using: str
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS {table}_tags ON {table} USING gin (tags jsonb_path_ops)"
        )
    try:
        with transaction.atomic(using=using), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for column in columns:
                # The index is on upper case, because Django's `icontains` compares in upper case.
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
