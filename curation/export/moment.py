"""One moment of the database: what is read inside it belongs together, whoever writes meanwhile.

An export reads the rows more than once; without this, a licence that is found blocked between two
readings would stand in a record that the first one let through.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Only for reading. Inside a transaction of somebody else's it is that one's view."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with _sqlite_snapshot():
            yield
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


@contextmanager
def _sqlite_snapshot() -> Iterator[None]:
    """Django's own transactions would take the writers' lock from the start."""
    with connection.cursor() as cursor:
        # Rows come by once or twice: what keeps pages for others would only hold memory here.
        cursor.execute("PRAGMA mmap_size = 0")
        cursor.execute("PRAGMA cache_size = -8000")
        cursor.execute("BEGIN DEFERRED")
        try:
            # The snapshot begins with the first row that is read.
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1").fetchone()
            yield
        finally:
            cursor.execute("ROLLBACK")
