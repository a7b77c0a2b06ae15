"""Tag search: a GIN index in PostgreSQL; in SQLite, a table of tags kept by triggers."""

from typing import Any

from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.db.models.expressions import RawSQL

from curation.models import Kernel, Pair

TABLES = ("curation_kernel", "curation_pair")


def tagged(model: type[Kernel] | type[Pair], tags: tuple[str, ...]) -> Q:
    """Match items with any of `tags`."""
    if connection.vendor != "sqlite":
        condition = Q()
        for tag in tags:
            condition |= Q(tags__contains=[tag])
        return condition
    places = ", ".join(["%s"] * len(tags))
    rows = f"SELECT id FROM {model._meta.db_table}_tags WHERE tag IN ({places})"  # noqa: S608
    return Q(pk__in=RawSQL(rows, tags))  # noqa: S611 - names of our own, the tags are parameters


def make_tag_indexes(using: str = "default", **_: Any) -> None:
    """Create the missing indexes and triggers. Called after migrating; idempotent."""
    connection = connections[using]
    present = connection.introspection.table_names()
    for table in TABLES:
        if table not in present:
            continue
        if connection.vendor == "sqlite":
            _sqlite(connection, table)
        elif connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    f"CREATE INDEX IF NOT EXISTS {table}_tags ON {table} "
                    "USING gin (tags jsonb_path_ops)"
                )


def _sqlite(connection: BaseDatabaseWrapper, table: str) -> None:
    tags = f"{table}_tags"
    add = (
        f"INSERT OR IGNORE INTO {tags} "  # noqa: S608
        "SELECT value, new.id FROM json_each(new.tags) WHERE type = 'text';"
    )
    remove = f"DELETE FROM {tags} WHERE id = old.id;"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s",
            [f"{tags}_%"],
        )
        if cursor.fetchone()[0] == 3:
            return
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {tags} "
            "(tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) WITHOUT ROWID"
        )
        cursor.execute(f"CREATE INDEX IF NOT EXISTS {tags}_by_item ON {tags} (id)")
        for event, body in {
            "INSERT": add,
            "DELETE": remove,
            "UPDATE OF tags": remove + add,
        }.items():
            cursor.execute(
                f"CREATE TRIGGER IF NOT EXISTS {tags}_{event.split()[0].lower()} "
                f"AFTER {event} ON {table} BEGIN {body} END"
            )
        cursor.execute(f"DELETE FROM {tags}")  # noqa: S608
        cursor.execute(
            f"INSERT OR IGNORE INTO {tags} SELECT each.value, {table}.id "  # noqa: S608
            f"FROM {table}, json_each({table}.tags) AS each WHERE each.type = 'text'"
        )
