"""Placement lock: two workers that place items concurrently would not see each other's rows."""

from django.db import connection

# PostgreSQL's advisory locks are numbers; this one must be unique in the database.
PLACING = 0x7477_696E_73


def take_placement_lock() -> None:
    """Wait for the lock, and hold it until the transaction ends.

    SQLite's transactions are immediate, so they take its write lock at their start.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [PLACING])
