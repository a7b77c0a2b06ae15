"""One moment of the database: what is read inside it belongs together, whoever writes meanwhile.

An export reads the rows more than once, and in several processes; without this, a licence that is
found blocked between two readings would stand in a record that the first one let through.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import connection, transaction


@contextmanager
def one_moment(others: Callable[[str], None] | None = None) -> Iterator[None]:
    """Only for reading. Inside a transaction of somebody else's it is that one's view.

    `others` is told the moment's name, and has other processes enter it before it returns.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with _sqlite_snapshot(others):
            yield
    else:
        with _postgresql_snapshot() as cursor:
            if others:
                cursor.execute("SELECT pg_export_snapshot()")
                others(cursor.fetchone()[0])
            yield


@contextmanager
def same_moment(name: str) -> Iterator[None]:
    """The moment that another process is in, and holds while this one enters."""
    if connection.vendor == "sqlite":
        with _sqlite_snapshot():
            yield
    else:
        with _postgresql_snapshot() as cursor:
            cursor.execute("SET TRANSACTION SNAPSHOT %s", [name])
            yield


def keep_few_pages() -> None:
    """Rows come by once or twice: what keeps pages for others would only hold memory here."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA mmap_size = 0")
            cursor.execute("PRAGMA cache_size = -8000")


@contextmanager
def _postgresql_snapshot() -> Iterator[Any]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield cursor


@contextmanager
def _sqlite_snapshot(others: Callable[[str], None] | None = None) -> Iterator[None]:
    """Django's own transactions would take the writers' lock from the start."""
    keep_few_pages()
    with connection.cursor() as cursor:
        try:
            with _nobody_writing() if others else nullcontext():
                cursor.execute("BEGIN DEFERRED")
                # The snapshot begins with the first row that is read.
                cursor.execute("SELECT 1 FROM django_migrations LIMIT 1").fetchone()
                if others:
                    others("")
            yield
        finally:
            cursor.execute("ROLLBACK")


@contextmanager
def _nobody_writing() -> Iterator[None]:
    """SQLite's snapshots have no names: they are the same if nobody could write between them."""
    lock = connection.copy()
    try:
        with lock.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    finally:
        lock.close()
