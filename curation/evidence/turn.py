"""One placement at a time: two workers that place twins at once would not see one another."""

from django.db import connection

# PostgreSQL's advisory locks are numbers; any that nothing else in this database uses will do.
PLACING = 0x7477_696E_73


def one_at_a_time() -> None:
    """Wait for the turn, and hold it until the transaction ends.

    SQLite's transactions are immediate: there the turn is taken where one begins.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [PLACING])
