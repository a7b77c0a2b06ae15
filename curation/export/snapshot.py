"""Database snapshots: all reads inside see the same state, whatever is written meanwhile.

An export reads rows more than once, and in several processes. Without a snapshot, a license that is
found blocked between two reads would be in a record that the first read admitted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import connection, transaction


@contextmanager
def db_snapshot(others: Callable[[str], None] | None = None) -> Iterator[None]:
    """Open a snapshot for reading. Inside a transaction, the transaction's view is used.

    `others` gets the snapshot's name, and returns after the other processes have joined it.
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
def join_snapshot(name: str) -> Iterator[None]:
    """Join the snapshot of another process, which must hold it during this call."""
    if connection.vendor == "sqlite":
        with _sqlite_snapshot():
            yield
    else:
        with _postgresql_snapshot() as cursor:
            cursor.execute("SET TRANSACTION SNAPSHOT %s", [name])
            yield


def keep_few_pages() -> None:
    """Reduce SQLite's cache: an export reads each row once or twice."""
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
    """Open a snapshot in SQLite. Django's transactions would take the write lock."""
    keep_few_pages()
    with connection.cursor() as cursor:
        try:
            with _nobody_writing() if others else nullcontext():
                cursor.execute("BEGIN DEFERRED")
                # The snapshot starts with the first read.
                cursor.execute("SELECT 1 FROM django_migrations LIMIT 1").fetchone()
                if others:
                    others("")
            yield
        finally:
            cursor.execute("ROLLBACK")


@contextmanager
def _nobody_writing() -> Iterator[None]:
    """Block writers:

    SQLite's snapshots have no names, but are equal without a write between them.
    """
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
